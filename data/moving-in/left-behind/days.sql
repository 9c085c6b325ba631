-- Holidays, and working days at weekends, of more than a year ago, with the calls of that day. The others move as the settings `Free_Days` and `Working_Days`.
SELECT 'id,date,daytype,description,calls';
SELECT CONCAT_WS(',', d.id, cell(d.date), cell(d.daytype), cell(d.description),
  (SELECT COUNT(*) FROM calls c WHERE c.calldate >= d.date AND c.calldate < d.date + INTERVAL 1 DAY))
FROM days d WHERE NOT IFNULL(d.date >= CURDATE() - INTERVAL 1 YEAR AND d.daytype IN ('FD', 'WD'), FALSE) ORDER BY d.date, d.id;
