-- Settings that have no meaning here, and those of resellers.
SELECT 'id,owner_id,name,value';
SELECT CONCAT_WS(',', f.id, cell(f.owner_id), cell(f.name), cell(f.value)) FROM conflines f
WHERE NOT (IFNULL(f.owner_id, -1) = 0 AND f.name IN ('Allow_API', 'Allow_GET_API', 'API_Disable_hash_checking', 'API_Secret_Key',
  'XML_API_Extension', 'Devices_Check_Rate', 'Show_Active_Calls_for_Users', 'Allow_short_passwords_in_devices',
  'Device_Range_MIN', 'Device_Range_MAX', 'Emergency_Numbers', 'Nice_Number_Digits', 'Default_device_type'));
