SELECT 'tariff_id,count,sum';
SELECT CONCAT_WS(',', r.tariff_id, COUNT(*), plain(SUM(r.rate))) FROM moving_rates r WHERE r.stays IS NULL
GROUP BY r.tariff_id ORDER BY r.tariff_id;
