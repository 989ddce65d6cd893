import { isIP } from 'node:net'
import {
  any,
  checkPositive,
  decoded,
  flag,
  invalidConfig,
  label,
  type OptionsOf,
  oneOf,
  plainName,
  readOptions,
  text,
  texts,
  tls,
  whole,
} from '@unikv/core/adapter'
import { isPlainObject } from '@unikv/core/platform'
import type { CassandraDurability } from './capabilities.ts'
import type { CassandraAddress, CassandraClient, CassandraTls } from './client/cassandra-client.ts'
import {
  type CassandraLevel,
  type LevelsApart,
  levels,
  type PlainLevel,
  type SerialLevel,
} from './client/consistency.ts'

const table = {
  /** `cassandra://user:password@host1,host2:9042/keyspace?datacenter=dc1&consistency=quorum&conditions=true&tls=true`. One port for all hosts. */
  url: any<string | URL>(),
  /** Nodes to start from, `host` or `host:port`; the others are found. */
  contactPoints: texts(),
  /** A ready client of cassandra-driver. It stays open when the store closes. */
  client: any<CassandraClient>(),
  /** For `contactPoints`. */
  username: text(),
  /** For `contactPoints`. */
  password: text(),
  /** The keyspace, `[a-z][a-z0-9_]{0,47}`; `url` may name it. */
  keyspace: plainName(undefined),
  /**
   * The table: the dataset of this store. `[a-z][a-z0-9_]{0,47}`. For many small datasets use namespaces: tables cost a cluster
   * memory. @default 'unikv'
   */
  table: plainName('unikv'),
  /** The data centre whose nodes are asked, for `url` and `contactPoints`. Name it where there are several. @default none: all nodes alike */
  localDataCenter: label(undefined),
  /** Only bytes: a CQL query could not look into documents. @default 'bytes' */
  values: oneOf('bytes', ['bytes']),
  /** Make keyspace, type and table where they are missing. @default false */
  prepare: flag(false),
  /**
   * Copies of each record, for a keyspace that `prepare` makes: a number (local data centre), or `{ dc1: 3, dc2: 3 }`.
   * @default 3, or as many as there are nodes if they are fewer
   */
  replication: copies,
  /**
   * `true`: every write is a lightweight transaction and every read is serial, so `ifVersion`, `touch` and `update`
   * work; about four round trips between replicas a write. `false`: plain writes, the last one wins. @default false
   */
  conditions: flag(false),
  /**
   * The level of calls that ask for none. Without conditions one of the plain levels, or one for writes and one for reads; with
   * conditions `serial` or `local_serial`, the same for all clients of a table. `{ write: 'each_quorum', read: 'local_quorum' }`
   * is in a URL `write:each_quorum,read:local_quorum`.
   * @default 'quorum', with conditions 'serial'
   */
  consistency: any<PlainLevel | SerialLevel | LevelsApart>(),
  /**
   * The nodes that get statements, for `url` and `contactPoints`: all of the cluster, or only those that are named there,
   * which pass statements on to the other nodes.
   * @default 'all'
   */
  nodes: oneOf(undefined, ['all', 'named']),
  /**
   * The failures that acknowledged writes survive. `replicated`: the loss of a machine; rejected on first use if the keyspace keeps
   * fewer than two copies, or the level is `one`. @default 'buffered'
   */
  durability: oneOf<CassandraDurability>('buffered', ['buffered', 'replicated']),
  /**
   * Longest value in bytes. Cassandra takes mutations up to half a segment of its commit log (16 MiB by default), and works best
   * below 1 MiB. @default 1,048,576
   */
  maxValueBytes: whole(1_048_576),
  /** Statements of one batch that are under way at the same time; the driver keeps its own number of connections. @default 64 */
  concurrency: whole(64),
  /**
   * Settings of TLS, for `url` and `contactPoints`: `ca`, `cert`, `key`, `rejectUnauthorized` (true), `servername` (what certificates
   * are for; else each node's IP address). @default none, or those of `?tls=true`
   */
  tls: tls<CassandraTls>(['servername']),
  /** For errors and reports. @default 'cassandra' */
  name: label('cassandra'),
}

/** Settings of the Cassandra store. One of `url`, `contactPoints` and `client` is required. */
export interface CassandraOptions<C extends CassandraClient = CassandraClient>
  extends OptionsOf<typeof table, { client: C }> {}

/** Options with their defaults, checked. */
export type CassandraSettings = ReturnType<typeof settingsOf>

const defaultPort = 9042

/**
 * Check the options and fill in the defaults.
 *
 * @throws {StoreError} `INVALID_CONFIG`, without what the URL holds
 */
export function settingsOf(given: CassandraOptions) {
  const { url } = Object(given) as CassandraOptions
  const options = url === undefined ? given : { ...given, ...fromUrl(String(url), given) }
  const settings = readOptions('cassandra', table, options)
  const { keyspace, conditions, consistency = conditions ? 'serial' : 'quorum' } = settings
  check(keyspace !== undefined, 'Name a keyspace: set the option keyspace, or use cassandra://host/keyspace')
  return { ...settings, ...levelsOf(consistency, conditions), keyspace, source: sourceOf(given, settings) }
}

/** The level of writes, and that of reads where it is another one. */
function levelsOf(
  given: PlainLevel | SerialLevel | LevelsApart,
  conditions: boolean,
): { readonly consistency: CassandraLevel; readonly readLevel: PlainLevel | undefined } {
  if (typeof given !== 'object' || given === null) {
    checkLevel(given, conditions)
    return { consistency: given, readLevel: undefined }
  }
  const { write, read, ...rest } = given
  check(
    !conditions,
    "With conditions consistency is 'serial' or 'local_serial' for writes and reads together.",
  )
  check(
    write !== undefined && read !== undefined && Object.keys(rest).length === 0,
    'consistency must name a level for write and one for read: write:each_quorum,read:local_quorum.',
  )
  checkLevel(write, false)
  checkLevel(read, false)
  return { consistency: write, readLevel: read }
}

/** The levels of a URL: one, or `write:` and `read:` apart. */
function levelsIn(text: string): LevelsApart | PlainLevel {
  if (!/[:,]/.test(text)) return text as PlainLevel
  const parts = text.split(',').map((part) => part.split(':'))
  const named = Object.fromEntries(parts) as Readonly<Record<string, string>>
  check(
    parts.length === Object.keys(named).length && parts.every((part) => part.length === 2),
    'The parameter consistency of url must be a level, or write:LEVEL,read:LEVEL.',
  )
  return named as unknown as LevelsApart
}

function checkLevel(level: string, conditions: boolean): void {
  const serial = ['serial', 'local_serial']
  if (conditions) check(serial.includes(level), "With conditions consistency is 'serial' or 'local_serial'.")
  else
    check(
      Object.hasOwn(levels, level) && !serial.includes(level),
      'consistency must be a level of Cassandra: one … all.',
    )
}

type Replication = number | Readonly<Record<string, number>> | undefined

function copies(replication: Replication): Replication {
  if (replication === undefined) return undefined
  const copies = typeof replication === 'number' ? { replication } : replication
  check(
    isPlainObject(copies) && Object.keys(copies).length > 0,
    'replication must be a number, or an object with numbers by the names of data centers.',
  )
  checkPositive(copies)
  for (const center of Object.keys(copies))
    check(
      /^[\w .:-]{1,100}$/.test(center),
      'replication names a data center with characters that are not allowed.',
    )
  return replication
}

/** The client that was handed in, or where to connect to. */
function sourceOf(
  given: CassandraOptions,
  options: CassandraOptions,
): { readonly client: CassandraClient } | { readonly address: CassandraAddress } {
  const ways = [given.url, given.contactPoints, given.client].filter((one) => one !== undefined)
  check(ways.length === 1, 'Give exactly one of url, contactPoints and client.')
  const { client, contactPoints = [], username, password, localDataCenter, tls, nodes } = options
  if (client !== undefined) {
    const rest = [username, password, localDataCenter, tls, nodes]
    check(
      rest.every((one) => one === undefined),
      'username, password, localDataCenter, tls and nodes cannot be combined with client, which has its own.',
    )
    return { client }
  }
  check(
    Array.isArray(contactPoints) && contactPoints.length > 0,
    'contactPoints must name at least one node.',
  )
  check(password === undefined || username !== undefined, 'A password needs a username.')
  const points = contactPoints.map(contactPoint)
  const port = Number(points[0]?.slice(points[0].lastIndexOf(':') + 1))
  const onlyNamed = nodes === 'named'
  return { address: { contactPoints: points, port, username, password, localDataCenter, tls, onlyNamed } }
}

/** `host:port`, as the driver takes it. */
function contactPoint(point: unknown): string {
  check(
    typeof point === 'string' && /^[^\s/@]+$/.test(point),
    'contactPoints must be hosts: host, or host:port.',
  )
  if (isIP(point) === 6) return `[${point}]:${defaultPort}`
  return /:\d+$/.test(point) ? point : `${point}:${defaultPort}`
}

const parameters = ['consistency', 'datacenter', 'conditions', 'nodes', 'tls']

/** The options that a URL stands for. Those of its parameters that stand beside it too are refused. */
function fromUrl(text: string, given: CassandraOptions): CassandraOptions {
  const form = 'cassandra://user:password@host1,host2:9042/keyspace'
  check(URL.canParse(text), `url is not a valid URL. Write ${form} (the port once, after the last host).`)
  const url = new URL(text)
  check(url.protocol === 'cassandra:', 'url must start with cassandra://')
  for (const name of url.searchParams.keys())
    check(parameters.includes(name), `url takes the parameters ${parameters.join(', ')}.`)
  const [keyspace, ...rest] = url.pathname
    .slice(1)
    .split('/')
    .map((part) => decoded(part))
  check(rest.length === 0, `url must end with the keyspace: ${form}`)
  const { searchParams } = url
  const consistency = searchParams.get('consistency')
  const hosts = decoded(url.hostname).split(',')
  check(
    hosts.every((host) => host !== ''),
    `url must name a host: ${form}`,
  )
  return {
    contactPoints: hosts.map((host) => `${host}:${url.port || defaultPort}`),
    username: decoded(url.username) || given.username,
    password: decoded(url.password) || given.password,
    keyspace: keyspace || given.keyspace,
    localDataCenter: searchParams.get('datacenter') ?? given.localDataCenter,
    consistency: consistency === null ? given.consistency : levelsIn(consistency),
    nodes: (searchParams.get('nodes') ?? given.nodes) as CassandraOptions['nodes'],
    conditions: flagIn(searchParams, 'conditions') ?? given.conditions,
    tls: given.tls ?? (flagIn(searchParams, 'tls') === true ? {} : undefined),
  }
}

function flagIn(parameters: URLSearchParams, name: string): boolean | undefined {
  const text = parameters.get(name)
  check(
    text === null || ['true', 'false'].includes(text),
    `The parameter ${name} of url must be true or false.`,
  )
  return text === null ? undefined : text === 'true'
}

function check(condition: boolean, message: string): asserts condition {
  if (!condition) throw invalidConfig(message)
}
