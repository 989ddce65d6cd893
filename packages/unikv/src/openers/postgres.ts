import { postgres } from '@unikv/postgres'
import { type ForeignParameters, ifTrue, instead, nothing, sameAs, translated } from './foreign-parameters.ts'
import { countOf, type Opener, oneOf, refuseOthers, withCredentials, withParameters } from './opener.ts'

/** What the adapter reads from the URL itself. */
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
          instead:
            'It would send data in the clear where TLS fails. Write sslmode=require or sslmode=disable.',
        }
      : ['sslmode', value],
  pgbouncer: ifTrue(unnamed, 'nothing'),
  prepared_statements: ifTrue('nothing', unnamed),
  statement_cache_size: (value) => (value === '0' ? unnamed : 'nothing'),
  preparethreshold: (value) => (value === '0' ? unnamed : 'nothing'),
  connection_limit: sameAs('connectionLimit'),
  pool_size: sameAs('connectionLimit'),
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

export const openPostgres: Opener = (opening) => {
  const { scheme, dataset, name, environment } = opening
  const parameters = translated('postgres', opening.parameters, foreignToPostgres)
  refuseOthers('postgres', parameters, [
    'dataset',
    'durability',
    'schema',
    'connectionLimit',
    'namedStatements',
    ...own,
  ])
  return postgres({
    url: withCredentials(withParameters({ ...opening, parameters }, own), scheme, environment),
    table: dataset,
    schema: parameters.get('schema') ?? undefined,
    connectionLimit: countOf(parameters, 'connectionLimit'),
    namedStatements: oneOf(parameters, 'namedStatements', ['true', 'false']) !== 'false',
    prepare: true,
    durability: oneOf(parameters, 'durability', ['flushed', 'buffered', 'memory']),
    name,
  })
}
