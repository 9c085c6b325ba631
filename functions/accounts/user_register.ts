import { formerNameKey } from '#lib/accounts/former-name.ts'
import { hashPassword, isWeakPassword, shortestPassword } from '#lib/accounts/password.ts'
import { blankAccount, keyOfEmail, type WholeCaller } from '#lib/accounts/whole-account.ts'
import {
  type CustomerOwner,
  type CustomerTerms,
  findOwner,
  findTerms,
  initialPayment,
} from '#lib/api/customer-terms.ts'
import { invalid, passwordTooShort } from '#lib/api/errors.ts'
import { addressCounter, attempted } from '#lib/api/login.ts'
import { defineContract, defineMethod, type RequestTo } from '#lib/api/method.ts'
import { idParam, namedId, storedText, textParam } from '#lib/api/parameters.ts'
import { lambda } from '#lib/api/stack/lambda.ts'
import { MAX_USERNAME_LENGTH } from '#lib/base/account-types.ts'
import { secondsOf } from '#lib/base/calendar.ts'
import { fitsXml, isVisibleName, isVisibleWord, MAX_TEXT_LENGTH } from '#lib/base/text.ts'
import { nextAccountId, storeRegistration } from '#lib/billing/registration.ts'
import {
  deviceTypeOf,
  formatCallerId,
  generatedColumns,
  isCallerIdName,
  isCallerIdNumber,
  randomUniquehash,
} from '#lib/devices/device.ts'
import { type Device, findRoom, newDevice } from '#lib/devices/device-stored.ts'
import { freeNumbersToSkip } from '#lib/devices/extension.ts'
import { chooseExtension } from '#lib/devices/extension-stored.ts'
import { findNameHolders } from '#lib/devices/taken-name.ts'
import { nextId } from '#lib/table/id-counter.ts'
import type { Item } from '#lib/table/items.ts'
import { callerKey, lcrKey, locationKey } from '#lib/table/keys.ts'
import { type Element, element } from '#lib/xml/element.ts'

const contract = defineContract({
  name: 'user_register',
  aliases: ['registration'],
  summary: 'Registers a customer with its first device. The signature is the only guard.',
  callers: 'signed',
  params: {
    email: storedText,
    id: textParam,
    lcr_id: idParam,
    device_type: textParam,
    username: storedText,
    first_name: storedText,
    last_name: storedText,
    caller_id: textParam,
    state: storedText,
    device_location_id: idParam,
    password: textParam,
    password2: textParam,
    country_id: namedId,
    mob_phone: storedText,
    phone: storedText,
    fax: storedText,
    client_id: storedText,
    vat_number: storedText,
    county: storedText,
    city: storedText,
    postcode: storedText,
    address: storedText,
  },
  hashOrders: [
    {
      signs: [
        'email',
        'id',
        'lcr_id',
        'device_type',
        'username',
        'first_name',
        'last_name',
        'caller_id',
        'state',
        'device_location_id',
      ],
    },
  ],
  errors: {
    disabled: 'Registration over API is disabled',
    wait: 'Please wait 10 seconds before trying again',
    no_owner: 'Dont be so smart',
    no_username: 'Please enter username',
    no_type: 'Enter device type',
    username_taken: 'Such username is already taken',
    passwords_differ: 'Passwords do not match',
    no_first_name: 'Please enter first name',
    no_last_name: 'Please enter last name',
    no_country: 'Please select country',
    no_email: 'Please enter email',
    email_taken: 'This email address is already in use',
    no_default_user: 'Default user is not present',
    no_lcr: 'LCR was not found',
    no_location: 'Location was not found',
    weak_password: 'Password must contain at least one numeric value, capital and lowercase symbol',
    type: 'Device type invalid',
    limit: 'Device limit is reached',
    no_extension: 'No free extension',
  },
  envelope: 'rootStatus',
  access: 'write',
  writes: 'accounts',
  loads: addressCounter,
})

type RegisterRequest = RequestTo<typeof contract>

export const method = defineMethod(contract, async (request) => {
  if (!request.settings.API_allow_Registration) throw request.refuse('disabled')
  const registered = await attempted(request, () => register(request))
  if (registered === 'wait') throw request.refuse('wait')
  return registered
})

export const handler = lambda(method)

/** The steps are in the order of the refusals. If a name is taken meanwhile, the run starts again. */
async function register(request: RegisterRequest): Promise<Element[]> {
  const { params, settings, store, clock, lostRaces, refuse } = request
  const [owner, found] = await Promise.all([findOwner(store, params.id?.trim() ?? ''), findNamed(request)])
  if (!owner) throw refuse('no_owner')
  checkCredentials(request, found)
  checkPerson(request, found)
  const terms = await findTerms(store, settings, owner)
  if (!terms) throw refuse('no_default_user')
  checkObjects(request, owner, found)
  const columns = readDeviceColumns(request)
  // The hash takes a third of a second, so the extension is chosen after it: others would take it meanwhile.
  const password_hash = await request.runOnce(() => hashPassword(params.password ?? ''))
  const { choice, room } = await findPlace(request)
  const [accountId, deviceId] = await Promise.all([
    nextAccountId(store, lostRaces),
    nextId(store, 'device', choice.mark),
  ])
  const name_since = found.former && secondsOf(clock())
  const account = { ...newAccount(request, owner, terms), id: accountId, password_hash, name_since }
  const device = newFirstDevice(request, account, { ...columns, id: deviceId, extension: choice.extension })
  const payment = initialPayment(settings, account, { now: clock(), lostRaces })
  await storeRegistration(store, account, device, payment, { room, isFreed: choice.isFreed })
  return registrationElements(request, device)
}

// Checks

type Named = Awaited<ReturnType<typeof findNamed>>

/** The items that parameters name. `namesake` has the username; `former` has accounts that gave it up. */
async function findNamed({ params, store }: RegisterRequest) {
  const { username = '', email = '', lcr_id = '', device_location_id = '' } = params
  const keys = [
    ...[callerKey(username), formerNameKey(username), keyOfEmail(email)],
    ...[lcrKey(lcr_id), locationKey(device_location_id)],
  ]
  const [[namesake, former, emailHolder, lcr, location], [holder]] = await Promise.all([
    store.getMany(keys),
    findNameHolders(store, [{ username }]),
  ])
  return { namesake: namesake ?? holder, former, emailHolder, lcr, location }
}

const isBlank = (text: string | undefined): boolean => (text ?? '').trim() === ''

function checkCredentials(request: RegisterRequest, { namesake }: Named): void {
  const { params, settings, refuse } = request
  const { username = '', device_type, password = '', password2 = '' } = params
  if (isBlank(username)) throw refuse('no_username')
  if (isBlank(device_type)) throw refuse('no_type')
  refuseInvisible(request)
  if (namesake) throw refuse('username_taken')
  if (password !== password2) throw refuse('passwords_differ')
  if (password.length < shortestPassword(settings)) throw passwordTooShort(shortestPassword(settings))
}

/** Refuses a name that looks like another one, and an email address that is more than one line. */
function refuseInvisible({ params: { username = '', email = '' } }: RegisterRequest): void {
  if (username.length > MAX_USERNAME_LENGTH || (isStorable(username) && !isVisibleName(username)))
    throw invalid('username')
  if (isStorable(email) && !isVisibleWord(email)) throw invalid('email')
}

/** A name may be missing, but not blank. */
function checkPerson({ params, refuse }: RegisterRequest, { emailHolder }: Named): void {
  const { first_name, last_name, country_id, email } = params
  if (first_name !== undefined && isBlank(first_name)) throw refuse('no_first_name')
  if (last_name !== undefined && isBlank(last_name)) throw refuse('no_last_name')
  if (country_id < 1) throw refuse('no_country')
  if (isBlank(email)) throw refuse('no_email')
  if (emailHolder) throw refuse('email_taken')
}

function checkObjects(request: RegisterRequest, owner: CustomerOwner, { lcr, location }: Named): void {
  const { params, settings, refuse } = request
  const isForeign = (object: Item | undefined) => object?.['owner_id'] !== owner.id
  if (params.lcr_id !== undefined && isForeign(lcr)) throw refuse('no_lcr')
  if (params.device_location_id !== undefined && isForeign(location)) throw refuse('no_location')
  request.refuseUnstorable()
  if (isWeakPassword(settings, params.password ?? '')) throw refuse('weak_password')
}

// Account

const PROFILE = [
  'first_name',
  'last_name',
  'email',
  'state',
  'mob_phone',
  'phone',
  'fax',
  'vat_number',
  'county',
  'city',
  'postcode',
  'address',
] as const

const newAccount = (
  { params, settings, random }: RegisterRequest,
  owner: CustomerOwner,
  terms: CustomerTerms,
): Omit<WholeCaller, 'id' | 'password_hash'> => ({
  ...blankAccount,
  ...Object.fromEntries(PROFILE.map((name) => [name, params[name] ?? ''])),
  ...terms,
  username: params.username ?? '',
  usertype: 'user',
  owner_id: owner.id,
  currency: settings.Default_User_Currency || settings.Default_Currency,
  uniquehash: randomUniquehash(random),
  clientid: params.client_id ?? '',
  country_id: params.country_id,
  keys: undefined,
})

// Device

const isStorable = (text: string): boolean => fitsXml(text) && text.length <= MAX_TEXT_LENGTH

/** A number, or the name of a caller identity. */
function readDeviceColumns({ params, random, refuse }: RegisterRequest) {
  const device_type = deviceTypeOf(params.device_type ?? '')
  const caller = params.caller_id?.trim() ?? ''
  if (!device_type) throw refuse('type')
  if (!isCallerIdName(caller) || !isStorable(caller)) throw invalid('caller_id')
  const isNumber = isCallerIdNumber(caller)
  return {
    ...generatedColumns(device_type, random),
    callerid: formatCallerId({ name: isNumber ? '' : caller, number: isNumber ? caller : '' }),
  }
}

async function findPlace(request: RegisterRequest) {
  const { settings, store, refuse } = request
  const [choice, room] = await Promise.all([
    chooseExtension(store, settings, { extension: undefined }, freeNumbersToSkip(request)),
    findRoom(store, settings.Device_Limit),
  ])
  if (room && room.left <= 0) throw refuse('limit')
  if ('refused' in choice) throw refuse('no_extension')
  return { choice, room }
}

/** The location is one of the further columns of a device. */
const newFirstDevice = (
  { params: { device_location_id } }: RegisterRequest,
  { id: user_id, owner_id }: WholeCaller,
  columns: Pick<Device, 'id' | 'extension'> & Partial<Device>,
): Device =>
  newDevice({
    ...columns,
    user_id,
    owner_id,
    name: columns.extension,
    username: columns.extension,
    primary_device: 'yes',
    extra: device_location_id === undefined ? [] : [['location_id', String(device_location_id)]],
  })

// Answer

/** The device's names and secret, with which programs register at the switch. */
const registrationElements = ({ settings }: RegisterRequest, device: Device): Element[] => [
  element('status', 'Registration successful'),
  element('user_id', device.user_id),
  element(
    'user_device_settings',
    element('device_type', device.device_type),
    element('username', device.username),
    element('password', device.secret),
    element('pin', device.pin),
    element('server_ip', settings.Server_IP),
    settings.Registration_Notice === ''
      ? undefined
      : element('registration_notice', settings.Registration_Notice),
  ),
]
