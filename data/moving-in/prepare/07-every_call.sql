CREATE OR REPLACE VIEW every_call AS
SELECT 'calls' AS kept_in, c.id, c.uniqueid, c.calldate, c.src, c.dst, c.disposition, c.duration, c.billsec, c.hangupcause,
  c.user_id, c.card_id, c.src_device_id, c.dst_user_id, c.dst_device_id, c.provider_id, c.reseller_id,
  CAST(c.user_rate AS DECIMAL(65,15)) AS user_rate, CAST(c.user_price AS DECIMAL(65,15)) AS user_price,
  CAST(c.provider_rate AS DECIMAL(65,15)) AS provider_rate, CAST(c.provider_price AS DECIMAL(65,15)) AS provider_price,
  CAST(c.reseller_price AS DECIMAL(65,15)) AS reseller_price, CAST(c.did_price AS DECIMAL(65,15)) AS did_price,
  CAST(c.did_inc_price AS DECIMAL(65,15)) AS did_inc_price, CAST(c.did_prov_price AS DECIMAL(65,15)) AS did_prov_price,
  CAST(c.partner_price AS DECIMAL(65,15)) AS partner_price
FROM calls c
UNION ALL
SELECT 'calls_old' AS kept_in, c.id, c.uniqueid, c.calldate, c.src, c.dst, c.disposition, c.duration, c.billsec, c.hangupcause,
  c.user_id, c.card_id, c.src_device_id, c.dst_user_id, c.dst_device_id, c.provider_id, c.reseller_id,
  CAST(c.user_rate AS DECIMAL(65,15)) AS user_rate, CAST(c.user_price AS DECIMAL(65,15)) AS user_price,
  CAST(c.provider_rate AS DECIMAL(65,15)) AS provider_rate, CAST(c.provider_price AS DECIMAL(65,15)) AS provider_price,
  CAST(c.reseller_price AS DECIMAL(65,15)) AS reseller_price, CAST(c.did_price AS DECIMAL(65,15)) AS did_price,
  CAST(c.did_inc_price AS DECIMAL(65,15)) AS did_inc_price, CAST(c.did_prov_price AS DECIMAL(65,15)) AS did_prov_price,
  CAST(c.partner_price AS DECIMAL(65,15)) AS partner_price
FROM calls_old c;
