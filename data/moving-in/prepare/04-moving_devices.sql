CREATE OR REPLACE VIEW moving_devices AS
SELECT d.id, d.user_id, d.device_type, d.name, d.username, d.secret, d.extension, d.host, d.context, d.ipaddr, d.port,
  d.callerid, d.devicegroup_id, d.description, d.fromuser, d.language, d.pin, d.call_limit, d.max_timeout, d.transport, d.encryption,
  IF(u.primary_device_id = d.id, 'yes', 'no') AS primary_device, IF(u.id IS NULL OR d.name = '', 'devices', NULL) AS stays
FROM devices d LEFT JOIN moving_users u ON u.id = d.user_id AND u.stays IS NULL;
