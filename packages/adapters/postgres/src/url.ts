import type { Bytes, Store } from '@unikv/core'
import {
  countOf,
  type ForeignParameters,
  flagOf,
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
import type { PostgresCapabilities } from './capabilities.ts'
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

// Not the store's own type: that needs those of the driver, which may not be installed.

/** The type of the store that `open` makes, by the scheme of its URL. */
export interface PostgresByScheme {
  readonly postgres: Store<Bytes, PostgresCapabilities<false>>
  readonly postgresql: Store<Bytes, PostgresCapabilities<false>>
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
    namedStatements: flagOf(parameters, 'namedStatements'),
    lockReads: flagOf(parameters, 'lockReads'),
    prepare,
    durability: oneOf(parameters, 'durability', ['flushed', 'buffered', 'memory']),
    name,
  })
}
