SELECT 'table,id,calldate,card_id,dst,billsec,user_price,provider_price,reseller_price,partner_price,did_price,did_inc_price,did_prov_price';
SELECT CONCAT_WS(',', c.kept_in, c.id, cell(c.calldate), c.card_id, cell(c.dst), cell(c.billsec), cell(plain(c.user_price)), cell(plain(c.provider_price)),
  cell(plain(c.reseller_price)), cell(plain(c.partner_price)), cell(plain(c.did_price)), cell(plain(c.did_inc_price)), cell(plain(c.did_prov_price)))
FROM moving_calls c WHERE c.stays = 'card_calls';
