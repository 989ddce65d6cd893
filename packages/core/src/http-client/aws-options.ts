import { invalidConfig } from '../adapter/adapter-errors.ts'
import { checkFactoryOptions } from '../options/factory-options.ts'
import { label, tls, valid, whole } from '../options/kinds.ts'
import type { HttpTls } from './connections.ts'

/** An access key, as AWS or a compatible service gives it out. */
export interface AwsCredentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  /** Token of temporary credentials. */
  readonly sessionToken?: string | undefined
}

/** Options of stores whose client the AWS SDK makes. */
export const awsTable = {
  /** Address of another service than that of AWS, such as `http://127.0.0.1:9000`. @default `AWS_ENDPOINT_URL_` with the name of the service, else AWS */
  endpoint: valid<string>('be an http: or https: URL without user, path or parameters', isAddress),
  /** @default that of the environment (`AWS_REGION`, profile); with `endpoint` `us-east-1` */
  region: label(undefined),
  /**
   * `{ accessKeyId, secretAccessKey, sessionToken }`, or a function that gives them.
   * @default those of the environment: `AWS_ACCESS_KEY_ID` and so on, profile, role of the machine
   */
  credentials: checkedCredentials,
  /** Most requests that wait for a connection; more are refused with `OVERLOADED`. @default 10,000 */
  queueLimit: whole(10_000),
  /** Settings of TLS: `ca`, `cert`, `key`, `rejectUnauthorized` (true). @default those of Node */
  tls: tls<HttpTls>(),
}

/**
 * The region, unless it is that of the environment.
 *
 * @param more options that a client has settled besides those of the table
 * @throws {StoreError} `INVALID_CONFIG` for a client beside what it has settled already
 */
export function regionOf(
  options: {
    readonly client?: unknown
    readonly endpoint?: string | undefined
    readonly region?: string | undefined
  },
  more: readonly string[],
): string | undefined {
  const { client, endpoint, region } = options
  const given = options as Readonly<Record<string, unknown>>
  const settled = [...Object.keys(awsTable), ...more].find((name) => given[name] !== undefined)
  if (client !== undefined && settled !== undefined)
    throw invalidConfig(`${settled} cannot be combined with client, which has its own.`)
  return region ?? (endpoint === undefined ? undefined : 'us-east-1')
}

function isAddress(endpoint: unknown): boolean {
  if (typeof endpoint !== 'string' || !URL.canParse(endpoint)) return false
  const { protocol, username, password, pathname, search, hash } = new URL(endpoint)
  return /^https?:$/.test(protocol) && username + password + search + hash === '' && pathname === '/'
}

/** The last four are in credentials that the AWS SDK has read itself, or has been given before. */
const credentialNames = {
  accessKeyId: true,
  secretAccessKey: true,
  sessionToken: true,
  expiration: true,
  accountId: true,
  credentialScope: true,
  $source: true,
}

function checkedCredentials(
  given: AwsCredentials | (() => Promise<AwsCredentials>) | undefined,
  name: string,
  whose: string,
): AwsCredentials | (() => Promise<AwsCredentials>) | undefined {
  if (given === undefined || typeof given === 'function') return given
  checkFactoryOptions(`${whose}.${name}`, given, credentialNames)
  const { accessKeyId, secretAccessKey, sessionToken = 'none' } = given
  const isText = (part: unknown): boolean => typeof part === 'string' && part !== ''
  // A copy: the SDK writes into what it is given.
  if ([accessKeyId, secretAccessKey, sessionToken].every(isText)) return { ...given }
  throw invalidConfig(
    'credentials needs accessKeyId and secretAccessKey as strings; sessionToken must be a string too.',
  )
}
