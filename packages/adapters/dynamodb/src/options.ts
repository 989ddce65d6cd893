import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import {
  any,
  checkFactoryOptions,
  flag,
  invalidConfig,
  label,
  type OptionNames,
  type OptionsOf,
  oneOf,
  ownClock,
  readOptions,
  tls,
  whole,
} from '@unikv/core/adapter'
import type { HttpTls } from '@unikv/core/http-client'

/** An access key, as AWS gives it out. */
export interface DynamodbCredentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  /** Token of temporary credentials. */
  readonly sessionToken?: string | undefined
}

const table = {
  /** The table: the dataset of this store. 3 to 255 of `a-z`, `A-Z`, `0-9`, `_`, `.` and `-`. @default 'unikv' */
  table: tableName,
  /**
   * A ready `DynamoDBClient`, made with `maxAttempts: 1` and the SDK's standard retry strategy (refused otherwise). It stays open
   * when the store closes. @default one of its own
   */
  client: any<DynamoDBClient>(),
  /** Address of another DynamoDB than that of AWS, such as `http://127.0.0.1:8000`. @default `AWS_ENDPOINT_URL_DYNAMODB`, else AWS */
  endpoint: any<string>(),
  /** @default that of the environment (`AWS_REGION`, profile); with `endpoint` `us-east-1` */
  region: any<string>(),
  /**
   * `{ accessKeyId, secretAccessKey, sessionToken }`, or a function that gives them.
   * @default those of the environment: `AWS_ACCESS_KEY_ID` and so on, profile, role of the machine
   */
  credentials: any<DynamodbCredentials | (() => Promise<DynamodbCredentials>)>(),
  /** `bytes`: binary; `document`: maps and lists, for queries of your own. @default 'bytes' */
  values: oneOf('bytes', ['bytes', 'document']),
  /** Make the table where it is missing (on demand billing), and have it remove expired items. @default false */
  prepare: flag(false),
  /** Most connections. @default 50 */
  maxConnections: whole(50),
  /** Most requests that wait for a connection; more are refused with `OVERLOADED`. @default 10,000 */
  queueLimit: whole(10_000),
  /** Settings of TLS: `ca`, `cert`, `key`, `rejectUnauthorized` (true). @default those of Node */
  tls: tls<HttpTls>(),
  /** Wall clock in milliseconds, by which records expire: DynamoDB tells no time. @default Date.now */
  clock: ownClock(),
  /** For errors and reports. @default 'dynamodb' */
  name: label('dynamodb'),
}

/** Settings of the DynamoDB store. Without a client it opens one. */
export interface DynamodbOptions<C extends DynamoDBClient = DynamoDBClient>
  extends OptionsOf<typeof table, { client: C }> {}

/** Options with their defaults, checked. */
export type DynamodbSettings = ReturnType<typeof settingsOf>

/** Options that a given client has settled already. */
const ofTheClient = ['endpoint', 'region', 'credentials', 'maxConnections', 'queueLimit', 'tls'] as const

/**
 * Check the options and fill in the defaults.
 *
 * @throws {StoreError} `INVALID_CONFIG`
 */
export function settingsOf(options: DynamodbOptions) {
  const { values, ...settings } = readOptions('dynamodb', table, options)
  checkSource(options)
  const { endpoint, region, credentials } = settings
  return {
    ...settings,
    documents: values === 'document',
    region: region ?? (endpoint === undefined ? undefined : 'us-east-1'),
    // A copy: the SDK writes into what it is given.
    credentials: typeof credentials === 'object' ? { ...credentials } : credentials,
  }
}

function tableName(table: string | undefined = 'unikv'): string {
  if (typeof table === 'string' && /^[a-zA-Z0-9_.-]{3,255}$/.test(table)) return table
  throw invalidConfig('table must be 3 to 255 of a-z, A-Z, 0-9, "_", "." and "-".')
}

function checkSource(options: DynamodbOptions): void {
  const { client, endpoint, credentials } = options
  const settled = ofTheClient.find((name) => options[name] !== undefined)
  if (client !== undefined && settled !== undefined)
    throw invalidConfig(`${settled} cannot be combined with client, which has its own.`)
  if (endpoint !== undefined && !isAddress(endpoint))
    throw invalidConfig('endpoint must be an http: or https: URL without user, path or parameters.')
  if (credentials !== undefined && typeof credentials !== 'function') checkCredentials(credentials)
}

function isAddress(endpoint: string): boolean {
  if (!URL.canParse(endpoint)) return false
  const { protocol, username, password, pathname, search, hash } = new URL(endpoint)
  return /^https?:$/.test(protocol) && username + password + search + hash === '' && pathname === '/'
}

/** The last four are in credentials that the AWS SDK has read itself, or has been given before. */
const credentialNames: OptionNames<
  DynamodbCredentials & Record<'expiration' | 'accountId' | 'credentialScope' | '$source', unknown>
> = {
  accessKeyId: true,
  secretAccessKey: true,
  sessionToken: true,
  expiration: true,
  accountId: true,
  credentialScope: true,
  $source: true,
}

function checkCredentials(credentials: DynamodbCredentials): void {
  checkFactoryOptions('dynamodb.credentials', credentials, credentialNames)
  const { accessKeyId, secretAccessKey, sessionToken } = credentials
  if (![accessKeyId, secretAccessKey, sessionToken ?? 'none'].every(isText))
    throw invalidConfig(
      'credentials needs accessKeyId and secretAccessKey as strings; sessionToken must be a string too.',
    )
}

function isText(part: unknown): boolean {
  return typeof part === 'string' && part !== ''
}
