CREATE OR REPLACE VIEW moving_dids AS
SELECT d.id, d.did, d.reseller_id AS owner_id, u.id AS user_id, v.id AS device_id, p.id AS provider_id,
  d.user_id AS old_user_id, d.device_id AS old_device_id, d.provider_id AS old_provider_id,
  IF(d.status IN ('free', 'reserved', 'active', 'closed', 'terminated'), d.status, NULL) AS status,
  IF(o.id IS NULL OR d.did = '', 'dids', NULL) AS stays
FROM dids d LEFT JOIN moving_users o ON o.id = d.reseller_id AND o.stays IS NULL
LEFT JOIN moving_users u ON u.id = d.user_id AND u.stays IS NULL AND d.user_id > 0
LEFT JOIN moving_devices v ON v.id = d.device_id AND v.stays IS NULL LEFT JOIN providers p ON p.id = d.provider_id;
