SELECT JSON_OBJECT('id', p.id, 'name', p.name, 'tariff_id', p.tariff_id, 'number_format', IF(IFNULL(t.n, 0) = IFNULL(t.plain, 0) AND IFNULL(t.n, 0) <= 1, 'e164', NULL),
  'tech_prefix', IF(t.n = 1 AND t.plain = 1, t.put, NULL))
FROM providers p LEFT JOIN (SELECT x.provider_id, COUNT(*) AS n, MAX(x.`add`) AS put,
    SUM(IFNULL(x.cut, '') = '' AND x.`add` REGEXP '^[!-~]{1,40}$' AND IFNULL(x.minlen, 1) <= 5 AND IFNULL(x.maxlen, 100) >= 15) AS plain
  FROM providerrules x WHERE x.enabled = 1 AND IFNULL(x.pr_type, 'dst') = 'dst' GROUP BY x.provider_id) t ON t.provider_id = p.id;
