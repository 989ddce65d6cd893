import {
  checkFactoryOptions,
  flag,
  invalidConfig,
  label,
  needed,
  type OptionsOf,
  oneOf,
  part,
  plainName,
  readOptions,
  text,
  tls,
  whole,
} from '@unikv/core/adapter'
import type { HttpTls } from '@unikv/core/http-client'
import { bytesPerByte, maxNameBytes } from './object-name.ts'

const credentialTable = { id: needed<string>(), secret: needed<string>() }

const v1Table = {
  /** Such as `https://swift.example.org/auth/v1.0`. */
  url: needed<string | URL>(),
  /** Such as `account:user`. */
  user: needed<string>(),
  key: needed<string>(),
}

const v3Table = {
  /** Such as `https://keystone.example.org:5000/v3`. */
  url: needed<string | URL>(),
  /** Name of the user. */
  user: text(),
  password: text(),
  /** Domain of the user, by name. @default 'Default' */
  userDomain: text(),
  /** Name of the project. */
  project: text(),
  /** Domain of the project, by name. @default that of the user */
  projectDomain: text(),
  /** In place of user, password and project. */
  applicationCredential: part(credentialTable),
  /** Region of the object store in the catalog. @default the first one */
  region: text(),
  /** Which of its addresses. @default 'public' */
  interface: oneOf(undefined, ['public', 'internal', 'admin']),
}

/** User and key of the first protocol (tempauth, swauth, many gateways). */
export interface SwiftV1Auth extends OptionsOf<typeof v1Table> {}

/** A user with a password, or an application credential, of Keystone's version 3. */
export interface SwiftV3Auth extends OptionsOf<typeof v3Table> {}

/** How to sign in. */
export type SwiftAuth = { readonly v1: SwiftV1Auth } | { readonly v3: SwiftV3Auth }

/** The failures that an acknowledged write survives. */
export type SwiftDurability = 'buffered' | 'flushed' | 'replicated'

const table = {
  /** How to sign in: `{ v1: { url, user, key } }`, or `{ v3: … }` for Keystone. */
  auth: needed<SwiftAuth>(),
  /** Address of the account, such as `https://swift.example.org/v1/AUTH_shop`. @default the one that signing in gives */
  storageUrl: (given: string | URL | undefined) =>
    given === undefined ? undefined : httpUrl('storageUrl', given),
  /** The container: `[a-z][a-z0-9_]{0,47}`. @default 'unikv' */
  container: plainName('unikv'),
  /** The start, with a `/`, of the names of the objects: the dataset of this store. `[a-z][a-z0-9_]{0,47}`. @default 'unikv' */
  prefix: plainName('unikv'),
  /** Make the container where it is missing. @default false */
  prepare: flag(false),
  /**
   * The failures that acknowledged writes survive, as the cluster is set up: Swift answers when most of the copies are on
   * disk. With one copy say `flushed`. @default 'replicated'
   */
  durability: oneOf<SwiftDurability>('replicated', ['buffered', 'flushed', 'replicated']),
  /** Longest value in bytes. Swift takes objects of 5 GiB; values are whole in memory here. @default 268,435,456 */
  maxValueBytes: whole(268_435_456),
  /** Most connections, and most requests of one batch at a time. @default 32 */
  maxConnections: whole(32),
  /** Most requests that wait for a connection; more are refused with `OVERLOADED`. @default 10,000 */
  queueLimit: whole(10_000),
  /** Settings of TLS: `ca`, `cert`, `key`, `rejectUnauthorized` (true). @default those of Node.js */
  tls: tls<HttpTls>(),
  /** For errors and reports. @default 'swift' */
  name: label('swift'),
}

/** Settings of the Swift store. */
export interface SwiftOptions extends OptionsOf<typeof table> {}

/** Options with their defaults, checked. */
export type SwiftSettings = ReturnType<typeof settingsOf>

/**
 * Check the options and fill in the defaults.
 *
 * @throws {StoreError} `INVALID_CONFIG`, without user or key
 */
export function settingsOf(options: SwiftOptions) {
  const settings = readOptions('swift', table, options)
  return {
    ...settings,
    authUrl: authUrlOf(settings.auth),
    maxKeyBytes: Math.floor((maxNameBytes - 49) / bytesPerByte),
  }
}

function authUrlOf(auth: Partial<Record<'v1', SwiftV1Auth> & Record<'v3', SwiftV3Auth>> | undefined): URL {
  checkFactoryOptions('swift.auth', auth, { v1: true, v3: true })
  const { v1, v3 } = auth ?? {}
  if (v1 !== undefined) readOptions('swift', v1Table, v1, 'auth.v1')
  if (v3 !== undefined) readOptions('swift', v3Table, v3, 'auth.v3')
  check((v1 === undefined) !== (v3 === undefined), 'auth must be { v1: … } or { v3: … }.')
  if (v1 !== undefined) {
    check(isText(v1.user) && isText(v1.key), 'auth.v1 needs url, user and key.')
    return httpUrl('auth.v1.url', v1.url)
  }
  const { url, user, password, project, applicationCredential: credential } = v3 as SwiftV3Auth
  const byPassword = isText(user) && isText(password) && isText(project)
  const byCredential = isText(credential?.id) && isText(credential?.secret)
  check(
    byPassword !== byCredential,
    'auth.v3 needs url with user, password and project, or with applicationCredential { id, secret }.',
  )
  return httpUrl('auth.v3.url', url)
}

function httpUrl(option: string, given: string | URL): URL {
  const text = String(given)
  check(URL.canParse(text) && /^https?:/i.test(text), `${option} must be a URL of http:// or https://.`)
  const url = new URL(text)
  check(url.username === '' && url.password === '', `${option} must not hold user or password.`)
  return url
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

function check(condition: boolean, message: string): asserts condition {
  if (!condition) throw invalidConfig(message)
}
