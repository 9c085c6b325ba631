-- Several attempts to reach somebody stand under one `uniqueid`: `source_part` tells them apart, and the two of a call that is in `calls` and in `calls_old`. Prices move as they are, and `owner_id` is who owned the customer then. A row that has
-- all columns is imported without reading the table first, so `cdr_digests` is there, too.
SELECT JSON_OBJECT('uniqueid', IF(c.uniqueid = '', CONCAT('old-', c.id), c.uniqueid), 'source', 'old',
  'source_part', IF(c.twice_id IS NULL, CAST(c.id AS CHAR), CONCAT('calls_old-', c.id)), 'calldate', c.calldate, 'src', c.src, 'dst', c.dst, 'disposition', c.disposition,
  'duration', c.duration, 'billsec', c.billsec, 'hangupcause', c.hangupcause, 'incoming', c.incoming, 'user_id', c.customer_id,
  'device_id', c.device_id, 'dst_user_id', c.other_user_id, 'dst_device_id', c.other_device_id,
  'provider_id', c.found_provider_id, 'user_rate', IF(c.incoming, NULL, c.user_rate), 'user_price', c.charge,
  'provider_rate', c.provider_rate, 'provider_price', c.provider_price, 'reseller_price', c.reseller_price,
  'owner_id', c.owner_id, 'cdr_digests', NULL)
FROM moving_calls c WHERE c.stays IS NULL;
