-- The old system compares a time of day with BETWEEN, so that a window which ends before it begins is never in force. Here it would be one over midnight: it stays behind, in `rates`.
SELECT CONCAT('tariff ', r.tariff_id, ', prefix ', r.prefix, ': the rate ', plain(r.rate), ' of ', r.start_time, ' to ', r.end_time, ' was never in force, over ',
  (SELECT COUNT(*) FROM calls c WHERE c.dst LIKE CONCAT(r.prefix, '%') AND (TIME(c.calldate) >= r.start_time OR TIME(c.calldate) <= r.end_time)), ' calls')
FROM moving_rates r WHERE r.reason LIKE 'never in force%' ORDER BY r.tariff_id, r.prefix;
