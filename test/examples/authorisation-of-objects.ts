/** The permissions of each account on devices, rates and location rules. authorisation-of-accounts.ts says how to read it. */
export const AUTHORISATION_OF_OBJECTS = `

devices_get user_id
             own          foreign            missing          ill-typed        itself
admin      | ✓ 10       | Dont_be_so_smart | User not found | User not found | ✓ 0
accountant | ✓ 10       | Dont_be_so_smart | User not found | User not found | ✓ 1
reseller   | ✓ 20       | Dont_be_so_smart | User not found | User not found | ✓ 2
partner    | ✓ 40       | Dont_be_so_smart | User not found | User not found | ✓ 4
user       | Dont_be_so_smart
nobody     | Bad login

device_details_get device_id, device_details_get device_u
             own          foreign                missing                ill-typed              itself
admin      | ✓ 10       | Device was not found | Device was not found | Device was not found | ✓ 0
accountant | ✓ 10       | Device was not found | Device was not found | Device was not found | ✓ 1
reseller   | ✓ 20       | Device was not found | Device was not found | Device was not found | ✓ 2
partner    | ✓ 40       | Device was not found | Device was not found | Device was not found | ✓ 4
user       | You are not authorized to view this page
nobody     | Access Denied

device_create user_id
             own          foreign            missing              ill-typed            itself
admin      | ✓ 10       | Dont_be_so_smart | User was not found | User was not found | ✓ 0
accountant | ✓ 10       | Dont_be_so_smart | User was not found | User was not found | ✓ 1
reseller   | ✓ 20       | Dont_be_so_smart | User was not found | User was not found | ✓ 2
partner    | ✓ 40       | Dont_be_so_smart | User was not found | User was not found | ✓ 4
user       | ✓ 10       | Dont_be_so_smart | User was not found | User was not found | ✓ 10
nobody     | Bad login

device_update device
             own          foreign                missing                ill-typed              itself
admin      | ✓ 10       | Device was not found | Device was not found | Device was not found | ✓ 0
accountant | ✓ 10       | Device was not found | Device was not found | Device was not found | ✓ 1
reseller   | ✓ 20       | Device was not found | Device was not found | Device was not found | ✓ 2
partner    | ✓ 40       | Device was not found | Device was not found | Device was not found | ✓ 4
user       | ✓ 10       | Device was not found | Device was not found | Device was not found | ✓ 10
nobody     | Access Denied

device_delete device
             own          foreign            missing                ill-typed              itself
admin      | ✓ 10       | Dont_be_so_smart | Device was not found | Device was not found | ✓ 0
accountant | ✓ 10       | Dont_be_so_smart | Device was not found | Device was not found | ✓ 1
reseller   | ✓ 20       | Dont_be_so_smart | Device was not found | Device was not found | ✓ 2
partner    | ✓ 40       | Dont_be_so_smart | Device was not found | Device was not found | ✓ 4
user       | ✓ 10       | Dont_be_so_smart | Device was not found | Device was not found | ✓ 10
nobody     | Bad login

device_rules_get device_id, device_rule_create device_id
             own          foreign                missing                ill-typed              itself
admin      | ✓ 10       | Device was not found | Device was not found | Device was not found | ✓ 0
accountant | You are not authorized to use this functionality
reseller   | ✓ 20       | Device was not found | Device was not found | Device was not found | ✓ 2
partner    | You are not authorized to use this functionality
user       | You are not authorized to use this functionality
nobody     | Access Denied

device_rule_delete device_rule_id
             own    foreign                    missing                    ill-typed                  itself
admin      | ✓ 10 | Devicerule was not found | Devicerule was not found | Devicerule was not found | ✓ 0
accountant | You are not authorized to use this functionality
reseller   | ✓ 20 | Devicerule was not found | Devicerule was not found | Devicerule was not found | ✓ 2
partner    | You are not authorized to use this functionality
user       | You are not authorized to use this functionality
nobody     | Access Denied

rate_get username, user_calls_get s_user
             own          foreign              missing              ill-typed            itself
admin      | ✓ 10       | ✓ 20               | User was not found | User was not found | ✓ 0
accountant | ✓ 10       | ✓ 20               | User was not found | User was not found | ✓ 1
reseller   | ✓ 20       | User was not found | User was not found | User was not found | ✓ 2
partner    | ✓ 40       | User was not found | User was not found | User was not found | ✓ 4
user       | ✓ 10
nobody     | Dont_be_so_smart

tariff_rates_get user_id
             own          foreign           missing           ill-typed         itself
admin      | ✓ 10       | No tariff found | No tariff found | No tariff found | ✓ 0
accountant | ✓ 10       | No tariff found | No tariff found | No tariff found | ✓ 1
reseller   | ✓ 20       | No tariff found | No tariff found | No tariff found | ✓ 2
partner    | ✓ 40       | No tariff found | No tariff found | No tariff found | ✓ 4
user       | ✓ 10       | No tariff found | No tariff found | No tariff found | ✓ 10
nobody     | No tariff found

tariff_rates_get tariff_id
             own          foreign           missing           ill-typed         itself
admin      | ✓ 10       | ✓ 20            | No tariff found | No tariff found | ✓ 0
accountant | ✓ 10       | No tariff found | No tariff found | No tariff found | ✓ 1
reseller   | ✓ 20       | No tariff found | No tariff found | No tariff found | ✓ 2
partner    | ✓ 40       | No tariff found | No tariff found | No tariff found | ✓ 4
user       | ✓ 10       | No tariff found | No tariff found | No tariff found | ✓ 10
nobody     | No tariff found

exchange_rate_update currency
             own          foreign                  missing                  ill-typed                itself
admin      | ✓ EUR      | Currency was not found | Currency was not found | Currency was not found | Currency was not found
accountant | Access Denied
reseller   | Access Denied
partner    | Access Denied
user       | Access Denied
nobody     | Access Denied

location_rule_get location_rule_id, location_rule_update location_rule_id, location_rule_delete location_rule_id
             own    foreign                       missing                       ill-typed
admin      | ✓ 0  | ✓ 2                         | Location rule was not found | Location rule was not found
accountant | ✓ 0  | ✓ 2                         | Location rule was not found | Location rule was not found
reseller   | ✓ 2  | Location rule was not found | Location rule was not found | Location rule was not found
partner    | ✓ 4  | Location rule was not found | Location rule was not found | Location rule was not found
user       | You are not authorized to use this functionality
nobody     | Access Denied

location_rules_get location_id, location_rule_create location_id, location_rule_copy location_id
             own          foreign                  missing                  ill-typed
admin      | ✓ 0        | ✓ 2                    | Location was not found | Location was not found
accountant | ✓ 0        | ✓ 2                    | Location was not found | Location was not found
reseller   | ✓ 2        | Location was not found | Location was not found | Location was not found
partner    | ✓ 4        | Location was not found | Location was not found | Location was not found
user       | You are not authorized to use this functionality
nobody     | Access Denied

location_rule_create lcr_id, location_rule_update lcr_id
             own          foreign            missing             ill-typed
admin      | ✓ 0        | ✓ 0              | LCR was not found | LCR was not found
accountant | ✓ 0        | ✓ 0              | LCR was not found | LCR was not found
reseller   | ✓ 2        | Dont_be_so_smart | Dont_be_so_smart  | Dont_be_so_smart
partner    | ✓ 4        | Dont_be_so_smart | Dont_be_so_smart  | Dont_be_so_smart
user       | You are not authorized to use this functionality
nobody     | Access Denied

location_rule_create tariff_id, location_rule_update tariff_id
             own          foreign            missing                ill-typed              itself
admin      | ✓ 0        | ✓ 0              | Tariff was not found | Tariff was not found | ✓ 0
accountant | ✓ 0        | ✓ 0              | Tariff was not found | Tariff was not found | ✓ 0
reseller   | ✓ 2        | Dont_be_so_smart | Dont_be_so_smart     | Dont_be_so_smart     | Dont_be_so_smart
partner    | ✓ 4        | Dont_be_so_smart | Dont_be_so_smart     | Dont_be_so_smart     | Dont_be_so_smart
user       | You are not authorized to use this functionality
nobody     | Access Denied

location_rule_create did_id, location_rule_update did_id
             own          foreign            missing             ill-typed
admin      | ✓ 0        | ✓ 0              | DID was not found | DID was not found
accountant | ✓ 0        | ✓ 0              | DID was not found | DID was not found
reseller   | ✓ 2        | Dont_be_so_smart | Dont_be_so_smart  | Dont_be_so_smart
partner    | ✓ 4        | Dont_be_so_smart | Dont_be_so_smart  | Dont_be_so_smart
user       | You are not authorized to use this functionality
nobody     | Access Denied

location_rule_create device_id, location_rule_update device_id
             own          foreign            missing                ill-typed              itself
admin      | ✓ 0 10     | ✓ 0 20           | Device was not found | Device was not found | ✓ 0
accountant | ✓ 0 10     | ✓ 0 20           | Device was not found | Device was not found | ✓ 0 1
reseller   | ✓ 2 20     | Dont_be_so_smart | Dont_be_so_smart     | Dont_be_so_smart     | ✓ 2
partner    | ✓ 4 40     | Dont_be_so_smart | Dont_be_so_smart     | Dont_be_so_smart     | ✓ 4
user       | You are not authorized to use this functionality
nobody     | Access Denied

location_rule_create location_group_id, location_rule_update location_group_id
             own          foreign            missing                        ill-typed
admin      | ✓ 0        | ✓ 0              | Location Group was not found | Location Group was not found
accountant | ✓ 0        | ✓ 0              | Location Group was not found | Location Group was not found
reseller   | ✓ 2        | Dont_be_so_smart | Dont_be_so_smart             | Dont_be_so_smart
partner    | ✓ 4        | Dont_be_so_smart | Dont_be_so_smart             | Dont_be_so_smart
user       | You are not authorized to use this functionality
nobody     | Access Denied

location_rule_copy location_rule_id
             own    foreign                       missing                       ill-typed
admin      | ✓ 0  | ✓ 0                         | Location rule was not found | Location rule was not found
accountant | ✓ 0  | ✓ 0                         | Location rule was not found | Location rule was not found
reseller   | ✓ 2  | Location rule was not found | Location rule was not found | Location rule was not found
partner    | ✓ 4  | Location rule was not found | Location rule was not found | Location rule was not found
user       | You are not authorized to use this functionality
nobody     | Access Denied
`
