//! Dates in names of files.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// `2026-11-18-04-23-12`, in UTC: sorted by name is sorted by time.
pub(crate) fn stamp(time: SystemTime) -> String {
    let seconds = time.duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO).as_secs();
    let (day, second) = (seconds / 86_400, seconds % 86_400);
    let [year, month, day] = civil(day);
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    format!("{year:04}-{month:02}-{day:02}-{hour:02}-{minute:02}-{second:02}")
}

/// Year, month and day of a day since 1970, by Howard Hinnant's `civil_from_days`: years begin in
/// March, so that leap days come last.
fn civil(days_since_1970: u64) -> [u64; 3] {
    let days = days_since_1970 + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    [era * 400 + year_of_era + u64::from(month <= 2), month, day]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_those_of_the_calendar() {
        let at = |seconds| stamp(UNIX_EPOCH + Duration::from_secs(seconds));
        assert_eq!(at(0), "1970-01-01-00-00-00");
        assert_eq!(at(951_782_400), "2000-02-29-00-00-00");
        assert_eq!(at(1_794_975_792), "2026-11-18-04-23-12");
        assert_eq!(at(4_107_542_399), "2100-02-28-23-59-59");
    }
}
