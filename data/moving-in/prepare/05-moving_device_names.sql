CREATE OR REPLACE VIEW moving_device_names AS
SELECT d.id, IF(f.first_id = d.id, d.name, CONCAT(TRIM(d.name), '-', d.id)) AS name, d.name AS old_name
FROM moving_devices d JOIN (SELECT x.name, MIN(x.id) AS first_id FROM moving_devices x WHERE x.stays IS NULL GROUP BY x.name) f
  ON f.name = d.name
WHERE d.stays IS NULL;
