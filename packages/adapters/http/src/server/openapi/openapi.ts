import { base, mostItems, mostListed, names } from '../../protocol/headers.ts'
import {
  answer,
  consistency,
  flag,
  header,
  json,
  keyInPath,
  keyInQuery,
  listOf,
  namespace,
  object,
  operation,
  problem,
  query,
  ref,
  type Schema,
  schemas,
  store,
  text,
  time,
  timeout,
  value,
  versionHeaders,
  whole,
} from './openapi-parts.ts'

/** The operations of one path with one record; the two forms of a path have operations of their own names. */
function record(key: Schema, suffix: string): Schema {
  const parameters = [store, key, namespace, consistency, timeout]
  const match = header('If-Match', text, 'Only if the record has this version.')
  const none = header(
    'If-None-Match',
    text,
    '`*`: only if there is no record. A read takes a version that need not be sent again.',
  )
  const expiry = [
    header(names.ttl, { oneOf: [{ type: 'number' }, { const: 'keep' }] }, 'Life in milliseconds, or `keep`.'),
    header(names.expiresAt, time, 'When it expires.'),
  ]
  const written = answer('Done.', undefined, versionHeaders)
  const failed = { 412: { ...problem, description: 'The condition did not hold.' } }
  const change = json({ oneOf: [ref('Increment'), ref('Touch')] })
  return {
    parameters,
    get: operation(
      `getRecord${suffix}`,
      'The value',
      { parameters: [none, header('Range', text, 'One range of bytes.')] },
      {
        200: answer('The value.', value, versionHeaders),
        206: answer('A part of the value.', value, versionHeaders),
        304: answer('The record has the version that is known.'),
        404: { ...problem, description: 'There is no such record.' },
      },
    ),
    put: operation(
      `putRecord${suffix}`,
      'Store a value',
      { parameters: [match, none, ...expiry], requestBody: { required: true, content: value } },
      { 204: written, ...failed },
    ),
    delete: operation(
      `deleteRecord${suffix}`,
      'Remove the record',
      { parameters: [match] },
      { 204: written, ...failed },
    ),
    patch: operation(
      `patchRecord${suffix}`,
      'Count, or give a new expiry',
      { requestBody: { required: true, content: change } },
      { 200: answer('The counter.', json(ref('Counter')), versionHeaders), 204: written, ...failed },
    ),
  }
}

const of = `${base}/stores/{store}`
const bytes = query('bytes', flag, 'Values as base64, also of JSON and text.')
const textList = listOf(text)

const listing = [
  query('prefix', text, 'Only keys that begin so.'),
  ...['gt', 'gte', 'lt', 'lte'].map((name) => query(name, text, 'A bound, where the store lists in order.')),
  query('reverse', flag, 'From the last key to the first.'),
  query(
    'limit',
    { ...whole, minimum: 1, maximum: mostListed },
    'Most keys of the page, by default 100; there may be fewer.',
  ),
  query('cursor', text, 'That of the page before.'),
  query('values', flag, 'Values, too.'),
  bytes,
]

/** Several records by one request, with results aligned with them. */
function batch(id: string, summary: string, body: Schema, result: string): Schema {
  const results = listOf({ oneOf: [ref(result), { type: 'null' }] })
  const more = { parameters: [bytes], requestBody: { required: true, content: json(body) } }
  return {
    parameters: [store, consistency, timeout],
    post: operation(id, summary, more, {
      200: answer('Results in the order of the items.', json(object({ results }, 'results'))),
    }),
  }
}

/** A query by fields, where the store declares it. */
function finding(
  id: string,
  summary: string,
  body: Schema,
  answered: Schema,
  parameters: readonly Schema[],
): Schema {
  const more = { parameters, requestBody: { required: true, content: json(body) } }
  return {
    parameters: [store, consistency, timeout],
    post: operation(id, summary, more, { 200: answer('The records, or the totals.', json(answered)) }),
  }
}

const stores = object({ stores: textList }, 'stores')
const page = object({ items: listOf(ref('Item')), cursor: text }, 'items')
const paths: Schema = {
  [`${base}/stores`]: {
    get: operation('listStores', 'Names of the stores', {}, { 200: answer('Names.', json(stores)) }),
  },
  [of]: {
    parameters: [store],
    get: operation(
      'describeStore',
      'The abilities of the store',
      {},
      { 200: answer('Its capabilities.', json({ type: 'object' })) },
    ),
  },
  [`${of}/records`]: {
    parameters: [store, namespace, consistency, timeout],
    get: operation(
      'listRecords',
      'A page of keys',
      { parameters: listing },
      {
        200: answer('The page; without a cursor it is the last.', json(page)),
      },
    ),
  },
  [`${of}/records/{key}`]: record(keyInPath, ''),
  [`${of}/record`]: record(keyInQuery, 'ByQuery'),
  [`${of}/reads`]: batch(
    'readRecords',
    'Several records',
    object({ reads: listOf(ref('Read'), mostItems), namespace: textList }, 'reads'),
    'Found',
  ),
  [`${of}/writes`]: batch(
    'writeRecords',
    'Several changes',
    object({ writes: listOf(ref('Write'), mostItems), namespace: textList, atomic: flag }, 'writes'),
    'Written',
  ),
  [`${of}/find`]: finding('findRecords', 'Records by their fields', ref('Query'), page, [bytes]),
  [`${of}/aggregate`]: finding(
    'aggregateRecords',
    'Totals of records by their fields',
    ref('Aggregation'),
    ref('Totals'),
    [],
  ),
}

/** The interface in OpenAPI 3.1, as it is mounted here. */
export function openApi(basePath: string): object {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Stores of unikv over HTTP',
      version: '1',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: basePath === '' ? '/' : basePath }],
    security: [{ token: [] }],
    paths,
    components: { schemas, securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
  }
}
