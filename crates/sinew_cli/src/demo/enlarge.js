// Any picture of the page in a dialog of its own: a click or Enter opens it, a click or Esc closes it.
const large = document.createElement("dialog");
const picture = large.appendChild(document.createElement("img"));
const words = large.appendChild(document.createElement("p"));
document.body.append(large);
const open = (image) => {
  picture.src = image.src;
  picture.alt = words.textContent = image.alt;
  // As sharp as it is, and as large as there is room.
  picture.style.minWidth = Math.min(2 * image.naturalWidth, 0.9 * innerWidth, 0.8 * innerHeight * image.naturalWidth / image.naturalHeight) + "px";
  large.showModal();
};
large.addEventListener("click", () => large.close());
for (const image of document.querySelectorAll("figure img")) {
  image.tabIndex = 0;
  image.setAttribute("role", "button");
  image.addEventListener("click", () => open(image));
  image.addEventListener("keydown", (event) => { if (event.key === "Enter") open(image); });
}
