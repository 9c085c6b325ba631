SELECT 'tariff_id,reason,table,id,rate_id,prefix,rate';
SELECT CONCAT_WS(',', cell(r.tariff_id), cell(r.reason), r.kept_in, r.id, cell(r.rate_id), cell(IFNULL(r.prefix, r.own_prefix)), cell(plain(r.rate)))
FROM moving_rates r WHERE r.stays IS NOT NULL ORDER BY r.tariff_id, r.rate_id, r.id;
