-- Prices of calls that move, for which there is no column here.
SELECT 'table,id,calldate,incoming,user_price,did_price,did_inc_price,did_prov_price,partner_price';
SELECT CONCAT_WS(',', c.kept_in, c.id, cell(c.calldate), c.incoming, plain(IF(c.incoming, IFNULL(c.user_price, 0), 0)),
  plain(IF(c.incoming, 0, IFNULL(c.did_price, 0))), plain(IFNULL(c.did_inc_price, 0)), plain(IFNULL(c.did_prov_price, 0)),
  plain(IFNULL(c.partner_price, 0)))
FROM moving_calls c WHERE c.stays IS NULL AND (IF(c.incoming, c.user_price, c.did_price) <> 0 OR c.did_inc_price <> 0
  OR c.did_prov_price <> 0 OR c.partner_price <> 0);
