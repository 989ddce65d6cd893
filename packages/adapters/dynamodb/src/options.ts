import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import {
  checkFactoryOptions,
  checkPositive,
  checkTls,
  invalidConfig,
  type OptionNames,
  ownNumbers,
} from '@unikv/core/adapter'
import type { HttpTls } from '@unikv/core/http-client'
import { wallClock } from '@unikv/core/platform'

/** An access key, as AWS gives it out. */
export interface DynamodbCredentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  /** Token of temporary credentials. */
  readonly sessionToken?: string | undefined
}

/** Settings of the DynamoDB store. Without a client it opens one. */
export interface DynamodbOptions<C extends DynamoDBClient = DynamoDBClient> {
  /** The table: the dataset of this store. `[a-zA-Z0-9_.-]`, 3 to 255 characters. @default 'unikv' */
  readonly table?: string | undefined
  /** A ready client with `maxAttempts: 1`. It stays open when the store closes. */
  readonly client?: C | undefined
  /** Address of another DynamoDB than that of AWS, such as `http://127.0.0.1:8000`. @default `AWS_ENDPOINT_URL_DYNAMODB`, else AWS */
  readonly endpoint?: string | undefined
  /** @default that of the environment (`AWS_REGION`, profile); with `endpoint` `us-east-1` */
  readonly region?: string | undefined
  /** @default those of the environment: `AWS_ACCESS_KEY_ID` and so on, profile, role of the machine */
  readonly credentials?: DynamodbCredentials | (() => Promise<DynamodbCredentials>) | undefined
  /** `bytes`: binary; `document`: maps, for queries of your own. @default 'bytes' */
  readonly values?: 'bytes' | 'document' | undefined
  /** Make the table where it is missing (on demand billing), and have it remove expired items. @default false */
  readonly prepare?: boolean | undefined
  /** Most connections. @default 50 */
  readonly maxConnections?: number | undefined
  /** Most requests that wait for a connection; more are refused with `OVERLOADED`. @default 10,000 */
  readonly queueLimit?: number | undefined
  /** Settings of TLS. @default those of Node */
  readonly tls?: HttpTls | undefined
  /** Wall clock in milliseconds, by which records expire: DynamoDB tells no time. @default Date.now */
  readonly clock?: (() => number) | undefined
  /** For errors and reports. @default 'dynamodb' */
  readonly name?: string | undefined
}

/** Options with their defaults, checked. */
export interface DynamodbSettings {
  readonly table: string
  readonly client: DynamoDBClient | undefined
  readonly endpoint: string | undefined
  readonly region: string | undefined
  readonly credentials: DynamodbOptions['credentials']
  readonly documents: boolean
  readonly prepare: boolean
  readonly maxConnections: number
  readonly queueLimit: number
  readonly tls: HttpTls | undefined
  readonly clock: () => number
  readonly name: string
}

/** What a client has settled already. */
const ofTheClient = ['endpoint', 'region', 'credentials', 'maxConnections', 'queueLimit', 'tls'] as const

const optionNames: OptionNames<DynamodbOptions> = {
  table: true,
  client: true,
  endpoint: true,
  region: true,
  credentials: true,
  values: true,
  prepare: true,
  maxConnections: true,
  queueLimit: true,
  tls: true,
  clock: true,
  name: true,
}

/**
 * Check the options and fill in the defaults.
 *
 * @throws {StoreError} `INVALID_CONFIG`
 */
export function settingsOf(options: DynamodbOptions): DynamodbSettings {
  checkFactoryOptions('dynamodb', options, optionNames)
  const { table = 'unikv', endpoint, values = 'bytes', prepare = false } = options
  const { maxConnections = 50, queueLimit = 10_000, name = 'dynamodb' } = options
  if (typeof table !== 'string' || !/^[a-zA-Z0-9_.-]{3,255}$/.test(table))
    throw invalidConfig('table must be 3 to 255 of a-z, A-Z, 0-9, "_", "." and "-".')
  if (values !== 'bytes' && values !== 'document')
    throw invalidConfig("values must be 'bytes' or 'document'.")
  checkPositive({ maxConnections, queueLimit })
  checkSource(options)
  return {
    table,
    client: options.client,
    endpoint,
    region: options.region ?? (endpoint === undefined ? undefined : 'us-east-1'),
    // A copy: the SDK writes into what it is given.
    credentials: typeof options.credentials === 'object' ? { ...options.credentials } : options.credentials,
    documents: values === 'document',
    prepare,
    maxConnections,
    queueLimit,
    tls: options.tls,
    clock: ownNumbers('dynamodb', 'clock', options.clock, wallClock),
    name,
  }
}

function checkSource(options: DynamodbOptions): void {
  const { client, endpoint, credentials } = options
  const settled = ofTheClient.find((name) => options[name] !== undefined)
  if (client !== undefined && settled !== undefined)
    throw invalidConfig(`${settled} cannot be combined with client, which has its own.`)
  if (endpoint !== undefined && !isAddress(endpoint))
    throw invalidConfig('endpoint must be an http: or https: URL without user, path or parameters.')
  checkTls('dynamodb', options.tls)
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
