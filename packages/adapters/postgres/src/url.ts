import type { Bytes, Capabilities, Store } from '@unikv/core'
import {
  countOf,
  type ForeignParameters,
  ifTrue,
  instead,
  nothing,
  type Opener,
  oneOf,
  refuseOthers,
  sameAs,
  translated,
  withCredentials,
  withParameters,
} from '@unikv/core/url'
import { postgres } from './postgres.ts'

/** The parts of the URL that the adapter itself reads. */
const own = ['sslmode', 'host']
const byPool = instead('Hand a pool of pg to postgres({ pool }) of @unikv/postgres.')
const unnamed = ['namedStatements', 'false'] as const

/** From Neon, Supabase, Heroku, Azure, Railway, Vercel, and from Prisma and drivers of other languages. */
export const foreignToPostgres: ForeignParameters = {
  ssl: ifTrue(['sslmode', 'require'], ['sslmode', 'disable']),
  sslaccept: (value) => ['sslmode', value === 'strict' ? 'verify-full' : 'no-verify'],
  sslmode: (value) =>
    /^(prefer|allow)$/.test(value)
      ? {
          instead: 'It would send data unencrypted if TLS fails. Write sslmode=require or sslmode=disable.',
        }
      : ['sslmode', value],
  pgbouncer: ifTrue(unnamed, 'nothing'),
  prepared_statements: ifTrue('nothing', unnamed),
  statement_cache_size: (value) => (value === '0' ? unnamed : 'nothing'),
  preparethreshold: (value) => (value === '0' ? unnamed : 'nothing'),
  connection_limit: sameAs('maxConnections'),
  pool_size: sameAs('maxConnections'),
  // The deadline of a call covers connecting and waiting.
  connect_timeout: nothing,
  pool_timeout: nothing,
  socket_timeout: nothing,
  application_name: nothing,
  fallback_application_name: nothing,
  // pg binds to the channel by itself where it can; TLS is checked by certificate.
  channel_binding: nothing,
  gssencmode: nothing,
  sslnegotiation: (value) => (value === 'postgres' ? 'nothing' : byPool()),
  uselibpqcompat: nothing,
  supa: nothing,
  options: byPool,
  sslcert: byPool,
  sslkey: byPool,
  sslrootcert: byPool,
  sslpassword: byPool,
  target_session_attrs: byPool,
}

// As the adapter declares them, and repeated here: its own types need those of the driver, which may not be installed;
// `open.test.ts` of @unikv/stores compares.

/** Capabilities of `open('postgres://…')` and `open('postgresql://…')`. */
export interface PostgresUrlCapabilities extends Capabilities {
  readonly scan: {
    readonly order: 'bytes'
    readonly delivery: 'once'
    readonly prefix: 'indexed'
    readonly reverse: true
  }
  readonly ttl: { readonly kind: 'lazy'; readonly precisionMs: 1 }
  readonly conditionalWrite: true
  readonly conditionalRead: true
  readonly touch: true
  readonly increment: true
  readonly existed: true
  readonly sealed: false
  readonly documents: false
  readonly sync: 'none'
}

/** The type of the store that `open` makes, by the scheme of its URL. */
export interface PostgresByScheme {
  readonly postgres: Store<Bytes, PostgresUrlCapabilities>
  readonly postgresql: Store<Bytes, PostgresUrlCapabilities>
}

/** Makes the store of a URL of PostgreSQL. */
export const openPostgres: Opener<PostgresByScheme> = (opening) => {
  const { scheme, dataset, name, environment, prepare } = opening
  const parameters = translated('postgres', opening.parameters, foreignToPostgres)
  refuseOthers('postgres', parameters, [
    'dataset',
    'durability',
    'schema',
    'maxConnections',
    'namedStatements',
    'lockReads',
    ...own,
  ])
  return postgres({
    url: withCredentials(withParameters({ ...opening, parameters }, own), scheme, environment),
    table: dataset,
    schema: parameters.get('schema') ?? undefined,
    maxConnections: countOf(parameters, 'maxConnections'),
    namedStatements: oneOf(parameters, 'namedStatements', ['true', 'false']) !== 'false',
    lockReads: oneOf(parameters, 'lockReads', ['true', 'false']) === 'true',
    prepare,
    durability: oneOf(parameters, 'durability', ['flushed', 'buffered', 'memory']),
    name,
  })
}
