SELECT 'reason,table,id,calldate,user_id,dst_user_id,src,dst,billsec,user_price,provider_price,reseller_price,partner_price,did_price,did_inc_price,did_prov_price';
SELECT CONCAT_WS(',', c.reason, c.kept_in, c.id, cell(c.calldate), cell(c.user_id), cell(c.dst_user_id), cell(c.src), cell(c.dst), cell(c.billsec),
  cell(plain(c.user_price)), cell(plain(c.provider_price)), cell(plain(c.reseller_price)), cell(plain(c.partner_price)), cell(plain(c.did_price)),
  cell(plain(c.did_inc_price)), cell(plain(c.did_prov_price)))
FROM moving_calls c WHERE c.stays = 'calls';
