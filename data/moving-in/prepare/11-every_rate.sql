-- Newer versions rate by `rates.prefix` (`call.rb:1519,1821`), older ones by the prefix of the destination: `own_prefix` is `NULL` there.
CREATE OR REPLACE VIEW every_rate AS
SELECT 'ratedetails' AS kept_in, rd.id, rd.rate_id, r.tariff_id, r.destination_id, r.destinationgroup_id, r.destination_id AS found_id,
  IF(h.rates > 0, IFNULL(r.prefix, ''), NULL) AS own_prefix, CAST(rd.rate AS DECIMAL(65,15)) AS rate,
  CAST(rd.connection_fee AS DECIMAL(65,15)) AS connection_fee, rd.increment_s, rd.min_time, rd.start_time, rd.end_time,
  CAST(rd.daytype AS CHAR) AS daytype, r.effective_from, 1 AS is_flat
FROM ratedetails rd LEFT JOIN rates r ON r.id = rd.rate_id JOIN (SELECT COUNT(*) AS rates FROM rates y WHERE y.prefix <> '') h
UNION ALL
SELECT 'aratedetails' AS kept_in, a.id, a.rate_id, r.tariff_id, r.destination_id, r.destinationgroup_id, d.id AS found_id,
  NULL AS own_prefix, CAST(a.price AS DECIMAL(65,15)) AS rate, 0 AS connection_fee, a.round AS increment_s, 0 AS min_time, a.start_time, a.end_time,
  CAST(a.daytype AS CHAR) AS daytype, NULL AS effective_from, a.artype = 'minute' AND a.`from` = 1 AND a.duration = -1 AS is_flat
FROM aratedetails a LEFT JOIN rates r ON r.id = a.rate_id
LEFT JOIN destinations d ON d.destinationgroup_id = r.destinationgroup_id AND r.destinationgroup_id > 0
UNION ALL
SELECT 'rates' AS kept_in, r.id, r.id AS rate_id, r.tariff_id, r.destination_id, r.destinationgroup_id, NULL AS found_id,
  NULL AS own_prefix, NULL AS rate, NULL AS connection_fee, NULL AS increment_s, NULL AS min_time, NULL AS start_time, NULL AS end_time, NULL AS daytype,
  r.effective_from, 1 AS is_flat
FROM rates r LEFT JOIN ratedetails rd ON rd.rate_id = r.id LEFT JOIN aratedetails a ON a.rate_id = r.id
WHERE rd.id IS NULL AND a.id IS NULL;
