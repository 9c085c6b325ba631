CREATE OR REPLACE VIEW moving_destinations AS
SELECT d.id, d.prefix, d.subcode, d.name, d.destinationgroup_id, dir.name AS direction,
  IF(d.prefix REGEXP '^[0-9]{1,30}$', NULL, 'destinations') AS stays
FROM destinations d LEFT JOIN (SELECT x.code, MIN(x.name) AS name FROM directions x GROUP BY x.code) dir ON dir.code = d.direction_code;
