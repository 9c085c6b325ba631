SELECT 'currency,count,amount,amount_with_vat';
SELECT CONCAT_WS(',', p.currency, COUNT(*), plain(SUM(p.net)), plain(SUM(p.gross))) FROM moving_payments p WHERE p.stays IS NULL
GROUP BY p.currency ORDER BY p.currency;
