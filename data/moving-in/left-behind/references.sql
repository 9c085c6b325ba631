-- What calls and DIDs that move name, and does not move: the column is blank here. An `owner_id` that is blank is the present owner of the customer.
SELECT 'table,id,column,value';
SELECT CONCAT_WS('\n', IF(c.src_device_id > 0 AND c.device_id IS NULL, CONCAT_WS(',', c.kept_in, c.id, 'src_device_id', c.src_device_id), NULL),
  IF(c.dst_device_id > 0 AND c.other_device_id IS NULL, CONCAT_WS(',', c.kept_in, c.id, 'dst_device_id', c.dst_device_id), NULL),
  IF(c.dst_user_id > 0 AND c.other_user_id IS NULL, CONCAT_WS(',', c.kept_in, c.id, 'dst_user_id', c.dst_user_id), NULL),
  IF(c.provider_id > 0 AND c.found_provider_id IS NULL, CONCAT_WS(',', c.kept_in, c.id, 'provider_id', c.provider_id), NULL),
  IF(c.reseller_id > 0 AND c.owner_id IS NULL, CONCAT_WS(',', c.kept_in, c.id, 'reseller_id', c.reseller_id), NULL))
FROM moving_calls c WHERE c.stays IS NULL AND (c.src_device_id > 0 AND c.device_id IS NULL OR c.dst_device_id > 0 AND c.other_device_id IS NULL OR c.dst_user_id > 0 AND c.other_user_id IS NULL
  OR c.provider_id > 0 AND c.found_provider_id IS NULL OR c.reseller_id > 0 AND c.owner_id IS NULL);
SELECT CONCAT_WS(',', 'dids', d.id, 'user_id', d.old_user_id) FROM moving_dids d WHERE d.stays IS NULL AND d.old_user_id > 0 AND d.user_id IS NULL;
SELECT CONCAT_WS(',', 'dids', d.id, 'device_id', d.old_device_id) FROM moving_dids d WHERE d.stays IS NULL AND d.old_device_id > 0 AND d.device_id IS NULL;
SELECT CONCAT_WS(',', 'dids', d.id, 'provider_id', d.old_provider_id) FROM moving_dids d
WHERE d.stays IS NULL AND d.old_provider_id > 0 AND d.provider_id IS NULL;
