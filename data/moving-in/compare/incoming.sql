SELECT 'day,user_id,count,billsec,user_price,provider_price,reseller_price';
SELECT CONCAT_WS(',', DATE(c.calldate), c.customer_id, COUNT(*), SUM(c.billsec), plain(SUM(c.charge)), plain(IFNULL(SUM(c.provider_price), 0)),
  plain(IFNULL(SUM(c.reseller_price), 0)))
FROM moving_calls c WHERE c.stays IS NULL AND c.incoming = 1
GROUP BY DATE(c.calldate), c.customer_id ORDER BY DATE(c.calldate), c.customer_id;
