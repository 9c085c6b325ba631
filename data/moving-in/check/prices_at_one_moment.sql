-- Two prices of a prefix that are in force at one moment, and move. The old system takes the newest one, or the first of those that are as new; here a window
-- goes before a whole day ([wire.md](wire.md), rate_get). Remove the wrong ones in the copy.
SELECT CONCAT('tariff ', a.tariff_id, ', prefix ', a.prefix, ': ', plain(a.rate), ' and ', plain(b.rate), ' are in force at ',
  GREATEST(a.start_time, b.start_time), IF(GREATEST(a.daytype, b.daytype) = '', '', CONCAT(' ', GREATEST(a.daytype, b.daytype))), '; the old system takes ',
  plain(IF(IFNULL(b.effective_from, '0000-00-00') > IFNULL(a.effective_from, '0000-00-00'), b.rate, a.rate)))
FROM moving_rates a JOIN moving_rates b ON b.tariff_id = a.tariff_id AND b.prefix = a.prefix AND b.id > a.id AND b.stays IS NULL
WHERE a.stays IS NULL AND a.rate <> b.rate AND a.start_time <= b.end_time AND b.start_time <= a.end_time
  AND (a.daytype = b.daytype OR a.daytype = '' OR b.daytype = '')
  AND NOT (a.daytype = b.daytype AND a.start_time = b.start_time AND a.end_time = b.end_time)
ORDER BY a.tariff_id, a.prefix, a.id, b.id;
