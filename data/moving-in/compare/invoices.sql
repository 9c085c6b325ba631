SELECT 'currency,count,price,price_with_vat';
SELECT CONCAT_WS(',', i.currency, COUNT(*), plain(SUM(i.price)), plain(SUM(i.price_with_vat))) FROM moving_invoices i
WHERE i.stays IS NULL GROUP BY i.currency ORDER BY i.currency;
