SELECT JSON_OBJECT('name', f.name, 'value', f.value) FROM conflines f
WHERE f.owner_id = 0 AND f.name IN ('Allow_API', 'Allow_GET_API', 'API_Disable_hash_checking', 'API_Secret_Key',
  'XML_API_Extension', 'Devices_Check_Rate', 'Show_Active_Calls_for_Users', 'Allow_short_passwords_in_devices',
  'Device_Range_MIN', 'Device_Range_MAX', 'Emergency_Numbers', 'Nice_Number_Digits', 'Default_device_type');
SELECT JSON_OBJECT('name', 'Default_Currency', 'value', b.name) FROM currencies b WHERE b.id = 1;
SELECT JSON_OBJECT('name', 'Rated_Number', 'value', 'carrier');
SELECT JSON_OBJECT('name', 'Free_Days', 'value', GROUP_CONCAT(d.date ORDER BY d.date)) FROM days d
WHERE d.daytype = 'FD' AND d.date >= CURDATE() - INTERVAL 1 YEAR HAVING COUNT(*) > 0;
SELECT JSON_OBJECT('name', 'Working_Days', 'value', GROUP_CONCAT(d.date ORDER BY d.date)) FROM days d
WHERE d.daytype = 'WD' AND d.date >= CURDATE() - INTERVAL 1 YEAR HAVING COUNT(*) > 0;
