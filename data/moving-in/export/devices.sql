SELECT JSON_OBJECT('id', d.id, 'user_id', d.user_id, 'device_type', d.device_type, 'name', n.name, 'username', d.username,
  'secret', d.secret, 'extension', d.extension, 'host', d.host, 'context', d.context, 'ipaddr', d.ipaddr, 'port', d.port,
  'callerid', d.callerid, 'devicegroup_id', d.devicegroup_id, 'primary_device', d.primary_device, 'description', d.description,
  'fromuser', d.fromuser, 'language', d.language, 'pin', d.pin, 'call_limit', d.call_limit, 'max_timeout', d.max_timeout,
  'transport', IF(d.transport IN ('udp', 'tcp', 'udp,tcp', 'tcp,udp', 'tls'), d.transport, NULL), 'encryption', d.encryption IN ('yes', '1'),
  'audio_codecs', k.audio, 'video_codecs', k.video)
FROM moving_devices d JOIN moving_device_names n ON n.id = d.id
LEFT JOIN (SELECT x.device_id, GROUP_CONCAT(IF(o.codec_type = 'audio', o.name, NULL) ORDER BY x.priority, o.id SEPARATOR ',') AS audio,
    GROUP_CONCAT(IF(o.codec_type = 'video', o.name, NULL) ORDER BY x.priority, o.id SEPARATOR ',') AS video
  FROM devicecodecs x JOIN codecs o ON o.id = x.codec_id GROUP BY x.device_id) k ON k.device_id = d.id
WHERE d.stays IS NULL;
