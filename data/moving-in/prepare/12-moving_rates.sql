CREATE OR REPLACE VIEW moving_rates AS
SELECT p.*, IF(p.reason IS NULL, NULL, 'rates') AS stays FROM (
  SELECT o.kept_in, o.id, o.rate_id, o.tariff_id, o.prefix, o.own_prefix, o.direction, o.destination, o.subcode, o.rate, o.connection_fee,
    o.increment_s, o.min_time, o.start_time, o.end_time, o.daytype, o.effective_from,
    IF(o.problem IS NULL AND SUM(o.problem IS NULL) OVER
        (PARTITION BY o.tariff_id, o.prefix, o.effective_from, o.start_time, o.end_time, o.daytype) > 1,
      'one of several prices of the prefix', o.problem) AS reason
  FROM (SELECT e.*, IF(e.own_prefix IS NULL, d.prefix, IF(e.own_prefix REGEXP '^[0-9]{1,30}$', e.own_prefix, NULL)) AS prefix,
      IFNULL(n.direction, d.direction) AS direction, IFNULL(n.name, d.name) AS destination, IFNULL(n.subcode, d.subcode) AS subcode,
      CASE WHEN e.rate IS NULL THEN 'no price' WHEN t.id IS NULL THEN 'no tariff'
        WHEN (e.kept_in = 'aratedetails') <> (t.purpose = 'user') THEN 'not of this kind of tariff'
        WHEN e.own_prefix IS NULL AND d.id IS NULL THEN 'no destination'
        WHEN NOT IFNULL(e.own_prefix REGEXP '^[0-9]{1,30}$', TRUE) THEN 'no prefix'
        WHEN NOT IFNULL(e.is_flat, FALSE) THEN 'changes in the course of a call' WHEN e.rate < 0 AND e.rate <> -1 THEN 'negative'
        WHEN ABS(e.rate) >= 1e15 OR ABS(e.connection_fee) >= 1e15 THEN 'an amount of more than 15 digits'
        WHEN e.start_time > e.end_time THEN 'never in force: the window ends before it begins' END AS problem
    FROM every_rate e LEFT JOIN tariffs t ON t.id = e.tariff_id
    LEFT JOIN moving_destinations d ON d.id = e.found_id AND d.stays IS NULL
    LEFT JOIN moving_destinations n ON n.prefix = e.own_prefix AND n.stays IS NULL) o) p;
