/**
 * The permissions of each account on the objects of others, written down by hand from the documented rules (docs/wire.md and the
 * reference it completes), not read from the code. Each block is a method and the parameter that names its target, or several of
 * them; a row is one caller or several, and its cells are:
 *
 *     ✓ own foreign   answered: what is shown, or was changed, belongs to these accounts
 *     ✓               answered: there is nothing to show
 *     any text        refused in these words, and nothing has changed
 *
 * A row of a single cell holds whatever is named. Callers and targets:
 *
 *     caller        own   owner   foreign   itself
 *     admin 0       10    0       20        0
 *     accountant 1  10    0       20        1         acts for admin
 *     reseller 2    20    2       30        2
 *     partner 4     40    4       20        4
 *     user 10       10    0       20        10
 *     nobody        10    0       20        -         no name, an unknown one, a blocked account
 *
 * For objects that only owners have (locations, LCRs, DIDs and the like) an account stands for its owner; `owner` is that of the own
 * account, and foreign to admin's 0 is 2. The accounts belong to 0, but 20 to 2, 30 to 3 and 40 to 4.
 */
export const AUTHORISATION = `

user_login u
                                         own        foreign        missing        ill-typed
admin accountant reseller partner user | ✓ itself | Login failed | Login failed | Login failed
nobody                                 | Login failed

user_logout u
                                         own      foreign   missing   ill-typed
admin accountant reseller partner user | ✓      | ✓       | failed  | failed
nobody                                 | failed | ✓       | failed  | failed

user_details_get user_id, user_details_get username
                        own     foreign              missing              ill-typed            itself
admin accountant      | ✓ own | ✓ foreign          | User was not found | User was not found | ✓ itself
reseller partner user | ✓ own | User was not found | User was not found | User was not found | ✓ itself
nobody                | Access Denied

user_details_update user_id
                         own     foreign              missing              ill-typed                              itself
admin reseller partner | ✓ own | User was not found | User was not found | User id must be non negative integer | Access Denied
accountant             | You have no editing permission
user nobody            | Access Denied

user_register id
                         own                foreign            missing            ill-typed          itself
admin reseller partner | Dont be so smart | Dont be so smart | Dont be so smart | Dont be so smart | ✓
accountant user nobody | Dont be so smart | Dont be so smart | Dont be so smart | Dont be so smart | Dont be so smart

user_balance_get u
                                         own                  foreign              missing              ill-typed
admin accountant reseller partner user | ✓ own              | User was not found | User was not found | User was not found
nobody                                 | User was not found | User was not found | User was not found | User was not found

user_balance_get_by_username id, user_simple_balance_get id
                                                own     foreign     missing              ill-typed            itself
admin accountant reseller partner user nobody | ✓ own | ✓ foreign | User was not found | User was not found | ✓ itself

users_get uniquehash
                   own             foreign         missing         ill-typed       itself
admin            | Access Denied | Access Denied | Access Denied | Access Denied | ✓ 1 2 3 4 10 11 20 30 40
accountant       | Access Denied | Access Denied | Access Denied | Access Denied | ✓ 2 3 4 10 11 20 30 40
reseller partner | Access Denied | Access Denied | Access Denied | Access Denied | ✓ own
user             | You are not authorized to view this page
nobody           | Access Denied

payment_create user_id
                   own     foreign         missing         ill-typed       itself
admin            | ✓ own | Access Denied | Access Denied | Access Denied | ✓ itself
accountant user  | Access Denied
reseller partner | ✓ own | Access Denied | Access Denied | Access Denied | Access Denied
nobody           | Bad login

quickstats_get user_id
                            own   foreign   missing   ill-typed
admin                     | ✓ everyone
accountant partner nobody | Access Denied
reseller user             | ✓ own

active_calls_get user_id
                   own   foreign   missing   ill-typed
admin accountant | ✓ everyone
reseller         | ✓ owner own
partner          | You are not authorized to use this functionality
user             | ✓ own
nobody           | Access Denied

user_calls_get s_device
                        own     foreign     missing   ill-typed   itself
admin accountant      | ✓ own | ✓ foreign | ✓       | ✓         | ✓ itself
reseller partner user | ✓ own | ✓         | ✓       | ✓         | ✓ itself
nobody                | Dont_be_so_smart

user_calls_get s_provider
                   own           missing   ill-typed
admin accountant | ✓ everyone  | ✓       | ✓
reseller         | ✓ owner own | ✓       | ✓
partner          | ✓ owner own
user             | ✓ own
nobody           | Dont_be_so_smart

local_calls_get s_userid, local_calls_get s_user
                            own     foreign              missing              ill-typed            itself
admin accountant reseller | ✓ own | User was not found | User was not found | User was not found | ✓ itself
partner nobody            | Access Denied
user                      | ✓ own

queue_log_get user_id
                                          own   foreign   missing   ill-typed
admin                                   | ✓ owner
accountant reseller partner user nobody | Access Denied

credit_notes_get credit_note_id, credit_notes_get user_id
                      own     foreign                     missing                     ill-typed                   itself
admin accountant    | ✓ own | Credit note was not found | Credit note was not found | Credit note was not found | ✓ itself
reseller            | ✓ own | Credit note was not found | Credit note was not found | Credit note was not found | Credit note was not found
partner user nobody | Bad login

payments_get s_user_id
                   own     foreign            missing            ill-typed          itself
admin accountant | ✓ own | Dont_be_so_smart | Dont_be_so_smart | Dont_be_so_smart | ✓ itself
reseller partner | ✓ own | Dont_be_so_smart | Dont_be_so_smart | Dont_be_so_smart | ✓ own
user             | ✓ own
nobody           | Bad login

services_get user_id
                              own   foreign   missing   ill-typed
admin                       | ✓ 0 2 3 4
accountant reseller partner | ✓ owner
user nobody                 | Access Denied

subscriptions_get s_user_id, subscriptions_get user_id
                              own     foreign                  missing                  ill-typed                itself
admin                       | ✓ own | ✓ foreign              | No Subscriptions found | No Subscriptions found | ✓ itself
accountant reseller partner | ✓ own | No Subscriptions found | No Subscriptions found | No Subscriptions found | ✓ itself
user                        | You are not authorized to manage Subscriptions
nobody                      | Access Denied

financial_statements_get user_id
                   own     foreign            missing            ill-typed          itself
admin accountant | ✓ own | Dont_be_so_smart | Dont_be_so_smart | Dont_be_so_smart | ✓ itself
reseller partner | ✓ own | Dont_be_so_smart | Dont_be_so_smart | Dont_be_so_smart | Dont_be_so_smart
user             | ✓ own
nobody           | Bad login

invoices_get user_id
                        own   foreign   missing   ill-typed
admin accountant      | ✓ 0 1 2 3 4 10
reseller partner user | ✓ own
nobody                | User_Not_Found

devices_get user_id
                                    own     foreign            missing          ill-typed        itself
admin accountant reseller partner | ✓ own | Dont_be_so_smart | User not found | User not found | ✓ itself
user                              | Dont_be_so_smart
nobody                            | Bad login

device_details_get device_id, device_details_get device_u
                                    own     foreign                missing                ill-typed              itself
admin accountant reseller partner | ✓ own | Device was not found | Device was not found | Device was not found | ✓ itself
user                              | You are not authorized to view this page
nobody                            | Access Denied

device_create user_id
                                         own     foreign            missing              ill-typed            itself
admin accountant reseller partner user | ✓ own | Dont_be_so_smart | User was not found | User was not found | ✓ itself
nobody                                 | Bad login

device_update device
                                         own     foreign                missing                ill-typed              itself
admin accountant reseller partner user | ✓ own | Device was not found | Device was not found | Device was not found | ✓ itself
nobody                                 | Access Denied

device_delete device
                                         own     foreign            missing                ill-typed              itself
admin accountant reseller partner user | ✓ own | Dont_be_so_smart | Device was not found | Device was not found | ✓ itself
nobody                                 | Bad login

device_rules_get device_id, device_rule_create device_id
                          own     foreign                missing                ill-typed              itself
admin reseller          | ✓ own | Device was not found | Device was not found | Device was not found | ✓ itself
accountant partner user | You are not authorized to use this functionality
nobody                  | Access Denied

device_rule_delete device_rule_id
                          own     foreign                    missing                    ill-typed                  itself
admin reseller          | ✓ own | Devicerule was not found | Devicerule was not found | Devicerule was not found | ✓ itself
accountant partner user | You are not authorized to use this functionality
nobody                  | Access Denied

rate_get username, user_calls_get s_user
                   own     foreign              missing              ill-typed            itself
admin accountant | ✓ own | ✓ foreign          | User was not found | User was not found | ✓ itself
reseller partner | ✓ own | User was not found | User was not found | User was not found | ✓ itself
user             | ✓ own
nobody           | Dont_be_so_smart

tariff_rates_get user_id
                                         own     foreign           missing           ill-typed         itself
admin accountant reseller partner user | ✓ own | No tariff found | No tariff found | No tariff found | ✓ itself
nobody                                 | No tariff found

tariff_rates_get tariff_id
                                   own     foreign           missing           ill-typed         itself
admin                            | ✓ own | ✓ foreign       | No tariff found | No tariff found | ✓ itself
accountant reseller partner user | ✓ own | No tariff found | No tariff found | No tariff found | ✓ itself
nobody                           | No tariff found

exchange_rate_update currency
                                          own     foreign                  missing                  ill-typed                itself
admin                                   | ✓ EUR | Currency was not found | Currency was not found | Currency was not found | Currency was not found
accountant reseller partner user nobody | Access Denied

location_rule_get location_rule_id, location_rule_update location_rule_id, location_rule_delete location_rule_id
                   own       foreign                       missing                       ill-typed
admin accountant | ✓ owner | ✓ 2                         | Location rule was not found | Location rule was not found
reseller partner | ✓ owner | Location rule was not found | Location rule was not found | Location rule was not found
user             | You are not authorized to use this functionality
nobody           | Access Denied

location_rules_get location_id, location_rule_create location_id, location_rule_copy location_id
                   own       foreign                  missing                  ill-typed
admin accountant | ✓ owner | ✓ 2                    | Location was not found | Location was not found
reseller partner | ✓ owner | Location was not found | Location was not found | Location was not found
user             | You are not authorized to use this functionality
nobody           | Access Denied

location_rule_create lcr_id, location_rule_update lcr_id
                   own       foreign            missing             ill-typed
admin accountant | ✓ owner | ✓ owner          | LCR was not found | LCR was not found
reseller partner | ✓ owner | Dont_be_so_smart | Dont_be_so_smart  | Dont_be_so_smart
user             | You are not authorized to use this functionality
nobody           | Access Denied

location_rule_create tariff_id, location_rule_update tariff_id
                   own       foreign            missing                ill-typed              itself
admin            | ✓ owner | ✓ owner          | Tariff was not found | Tariff was not found | ✓ itself
accountant       | ✓ owner | ✓ owner          | Tariff was not found | Tariff was not found | ✓ owner
reseller partner | ✓ owner | Dont_be_so_smart | Dont_be_so_smart     | Dont_be_so_smart     | Dont_be_so_smart
user             | You are not authorized to use this functionality
nobody           | Access Denied

location_rule_create did_id, location_rule_update did_id
                   own       foreign            missing             ill-typed
admin accountant | ✓ owner | ✓ owner          | DID was not found | DID was not found
reseller partner | ✓ owner | Dont_be_so_smart | Dont_be_so_smart  | Dont_be_so_smart
user             | You are not authorized to use this functionality
nobody           | Access Denied

location_rule_create device_id, location_rule_update device_id
                   own           foreign            missing                ill-typed              itself
admin            | ✓ owner own | ✓ owner foreign  | Device was not found | Device was not found | ✓ itself
accountant       | ✓ owner own | ✓ owner foreign  | Device was not found | Device was not found | ✓ owner itself
reseller partner | ✓ owner own | Dont_be_so_smart | Dont_be_so_smart     | Dont_be_so_smart     | ✓ itself
user             | You are not authorized to use this functionality
nobody           | Access Denied

location_rule_create location_group_id, location_rule_update location_group_id
                   own       foreign            missing                        ill-typed
admin accountant | ✓ owner | ✓ owner          | Location Group was not found | Location Group was not found
reseller partner | ✓ owner | Dont_be_so_smart | Dont_be_so_smart             | Dont_be_so_smart
user             | You are not authorized to use this functionality
nobody           | Access Denied

location_rule_copy location_rule_id
                   own       foreign                       missing                       ill-typed
admin accountant | ✓ owner | ✓ owner                     | Location rule was not found | Location rule was not found
reseller partner | ✓ owner | Location rule was not found | Location rule was not found | Location rule was not found
user             | You are not authorized to use this functionality
nobody           | Access Denied
`
