-- All of them stay behind, in `rates`. Remove the wrong ones in the copy, and begin again.
SELECT CONCAT('tariff ', r.tariff_id, ' has ', COUNT(*), ' prices for prefix ', r.prefix, ' at the same time: ', GROUP_CONCAT(plain(r.rate) ORDER BY r.id SEPARATOR ' '),
  '; the old system takes ', SUBSTRING_INDEX(GROUP_CONCAT(plain(r.rate) ORDER BY r.id SEPARATOR ' '), ' ', 1), ' as a rule, the first one')
FROM moving_rates r WHERE r.reason = 'one of several prices of the prefix' GROUP BY r.tariff_id, r.prefix, r.effective_from, r.start_time, r.end_time, r.daytype
ORDER BY r.tariff_id, r.prefix;
