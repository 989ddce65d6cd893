import { StoreError } from '@unikv/core'
import { expect, test } from 'vitest'
import { openStores } from '../src/index.ts'

/** A configuration with a monitor. */
const monitored = (monitor: object): object => ({ stores: { users: 'memory:' }, monitor })

/** A configuration that has a URL where a name belongs. */
function withUrlAs(place: string, url: string): object {
  const pair = { primary: 'a', secondary: url }
  const others: Record<string, object> = {
    from: { from: url },
    mirror: { mirror: pair },
    tier: { url: 'memory:', layers: [{ tier: { store: url } }] },
  }
  const policies = [{ store: url, operation: 'read', belowMs: 5 }]
  const monitor = place === 'keepIn' ? { keepIn: url } : place === 'policy' ? { policies } : false
  return { stores: { a: 'memory:', [place === 'name' ? url : 'b']: others[place] ?? 'memory:' }, monitor }
}

/** As an anchor of YAML can make it. */
function circular(): object {
  const store = { url: 'memory:', layers: [] as object[] }
  store.layers.push(store)
  return { stores: { a: store } }
}

test.each<[string, unknown, string]>([
  ['no object', 'memory:', 'The configuration: it must be an object with `stores`, got a string.'],
  ['no stores', {}, 'stores: it must be an object, got undefined.'],
  [
    'a misspelled section',
    { stors: { a: 'memory:' } },
    "The configuration: there is no option 'stors' here. Did you mean 'stores'?",
  ],
  ['empty stores', { stores: {} }, 'stores: it is empty. Name at least one store.'],
  [
    'an unknown section',
    { stores: { a: 'memory:' }, monitr: true },
    "The configuration: there is no option 'monitr' here. Did you mean 'monitor'?",
  ],
  ['a number for a store', { stores: { a: 5 } }, 'stores.a: it must be an object, got a number.'],
  [
    'a bad name',
    { stores: { 'a b': 'memory:' } },
    'stores.a b: a name has letters, digits, _ and - only, such as users or session-cache.',
  ],
  [
    'an unknown option',
    { stores: { a: { url: 'memory:', layer: [] } } },
    "stores.a: there is no option 'layer' here. Did you mean 'layers'?",
  ],
  [
    'no source',
    { stores: { a: { layers: [] } } },
    'stores.a: it needs one of url, store, from, mirror, fallback.',
  ],
  [
    'two sources',
    { stores: { a: { url: 'memory:', from: 'b' }, b: 'memory:' } },
    'stores.a: it has url and from. Choose one.',
  ],
  ['an unknown scheme', { stores: { a: 'reddis://h' } }, 'Known schemes'],
  [
    'a store that is not there',
    { stores: { a: { from: 'userz' }, users: 'memory:' } },
    "stores.a.from: there is no store 'userz'. Did you mean 'users'?",
  ],
  [
    'a circle',
    { stores: { a: { from: 'b' }, b: { from: 'a' } } },
    'the stores name each other in a circle: a → b → a.',
  ],
  [
    'a circle by a tier',
    { stores: { a: { url: 'memory:', layers: ['json', { tier: { store: 'a' } }] } } },
    'in a circle: a → a.',
  ],
  [
    'a mirror of what is not there',
    { stores: { a: { mirror: { primary: 'b', secondary: 'c' } }, b: 'memory:' } },
    "stores.a.mirror.secondary: there is no store 'c'.",
  ],
  [
    'a mirror without a second store',
    { stores: { a: { mirror: { primary: 'b' } }, b: 'memory:' } },
    'stores.a.mirror.secondary: it must be a string, got undefined.',
  ],
  [
    'an unknown layer',
    { stores: { a: { url: 'memory:', layers: ['cach'] } } },
    "stores.a.layers[0]: there is no layer 'cach'. Did you mean 'cache'?",
  ],
  [
    'a layer that is a number',
    { stores: { a: { url: 'memory:', layers: [1] } } },
    'stores.a.layers[0]: a layer is a name, { name: options }, or what a layer function returned, got a number.',
  ],
  [
    'two layers in one',
    { stores: { a: { url: 'memory:', layers: [{ json: {}, cache: {} }] } } },
    'stores.a.layers[0]: a layer is one name with its options, got json, cache.',
  ],
  [
    'options of a layer that are a text',
    { stores: { a: { url: 'memory:', layers: [{ cache: 'big' }] } } },
    'stores.a.layers[0].cache: options must be an object, got a string.',
  ],
  [
    'an unknown option of a layer',
    { stores: { a: { url: 'memory:', layers: [{ cache: { maxEntry: 5 } }] } } },
    'maxEntries',
  ],
  [
    'a wrong value of a layer',
    { stores: { a: { url: 'memory:', layers: [{ cache: { maxEntries: -1 } }] } } },
    'stores.a.layers[0].cache:',
  ],
  [
    'options of json',
    { stores: { a: { url: 'memory:', layers: [{ json: { schema: 1 } }] } } },
    'stores.a.layers[0].json: json takes no options here.',
  ],
  [
    'a wrong order',
    { stores: { a: { url: 'memory:', layers: [{ compression: {} }, 'json'] } } },
    'stores.a.layers: Wrong order',
  ],
  [
    'the monitor as a layer',
    { stores: { a: { url: 'memory:', layers: ['monitor'] } } },
    'stores.a.layers[0]: the monitor is not a layer here.',
  ],
  [
    'a variable that is not set',
    { stores: { a: 'redis://${USERS_HOST}' } },
    'stores.a: the environment variable USERS_HOST is not set.',
  ],
  [
    'a file that is not there',
    { stores: { a: 'redis://:${file:/no/such}@h' } },
    'stores.a: the file /no/such cannot be read (ENOENT).',
  ],
  [
    'a bad key',
    {
      stores: {
        a: {
          url: 'memory:',
          layers: [{ encryption: { dataset: 'a', keys: { primary: 'k', keys: { k: 'short secret' } } } }],
        },
      },
    },
    'stores.a.layers[0].encryption:',
  ],
  [
    'needs that a store lacks',
    { stores: { a: { url: 'memcached://h', needs: ['scan'] } } },
    'stores.a: a does not declare scan',
  ],
  ['a need that is unknown', { stores: { a: { url: 'memory:', needs: ['scann'] } } }, 'scann'],
  [
    'a dataset without a URL',
    { stores: { a: { from: 'b', dataset: 'x' }, b: 'memory:' } },
    'stores.a.dataset: it belongs to a URL, but this store has from.',
  ],
  [
    'a time below zero',
    { stores: { a: { url: 'memory:', timeoutMs: -1 } } },
    'stores.a.timeoutMs: the value is too small or empty.',
  ],
  [
    'a monitor kept nowhere',
    { stores: { a: 'memory:' }, monitor: { keepIn: 'b' } },
    "monitor.keepIn: there is no store 'b'.",
  ],
  [
    'a monitor that counts itself',
    { stores: { a: { url: 'memory:', monitored: true } }, monitor: { keepIn: 'a' } },
    'without end',
  ],
  [
    'a monitored store without a monitor',
    { stores: { a: { url: 'memory:', monitored: true } } },
    'stores.a.monitored: there is no monitor.',
  ],
  [
    'a monitor kept where nothing can be listed',
    { stores: { a: 'memcached://h' }, monitor: { keepIn: 'a' } },
    'monitor: a cannot list keys',
  ],
  [
    'a monitor kept as objects',
    { stores: { a: 'memory:', k: { url: 'memory:', layers: ['json'] } }, monitor: { keepIn: 'k' } },
    'monitor: Figures of a monitor are kept as bytes, but k has the codec json.',
  ],
  [
    'a policy without a limit',
    { stores: { a: 'memory:' }, monitor: { policies: [{ store: 'a', operation: 'read' }] } },
    'monitor: policies[0] of recorder() must have exactly one of',
  ],
  [
    'an unknown option of the monitor',
    { stores: { a: 'memory:' }, monitor: { flushMS: 5 } },
    "monitor: there is no option 'flushMS' here. Did you mean 'flushMs'?",
  ],
  [
    'a variable beside a store with the name of an option of layers',
    { stores: { plan: 'memory:', capabilities: 'memory:', a: 'redis://${USERS_HOST}' } },
    'stores.a: the environment variable USERS_HOST is not set.',
  ],
  ...['${ HOST }', '${HOST-x}', '${}', '${HOST', '${A:-${B}}', '${HOST:?secret}'].map(
    (text): [string, unknown, string] => [
      text,
      { stores: { a: `file:./${text}` } },
      'stores.a: after ${ comes NAME}, NAME:-default} or file:/path}',
    ],
  ),
  [
    'the name of a method for a variable',
    { stores: { a: 'redis://${constructor}' } },
    'the environment variable constructor is not set.',
  ],
  [
    'a secret without contents',
    { stores: { a: 'redis://:${file:/dev/null}@h' } },
    'the file /dev/null is empty.',
  ],
  ['data that contain themselves', circular(), 'stores.a.layers[0]: it contains itself.'],
  [
    'a name that objects have',
    { stores: JSON.parse('{"__proto__":"memory:"}') },
    'stores.__proto__: a name has',
  ],
  [
    'an endless time',
    { stores: { a: { url: 'memory:', timeoutMs: Number.POSITIVE_INFINITY } } },
    'stores.a.timeoutMs: it must be a number, got Infinity.',
  ],
  [
    'too many calls in detail',
    { stores: { a: 'memory:' }, monitor: { recentCalls: 1e9 } },
    'monitor.recentCalls: it must',
  ],
  [
    'a policy for a store that is not there',
    monitored({ policies: [{ store: 'userz', operation: 'read', belowMs: 5 }] }),
    "monitor.policies[0].store: there is no store 'userz'. Did you mean 'users'?",
  ],
  [
    'a policy for the store that keeps the figures',
    monitored({ keepIn: 'users', policies: [{ store: 'users', operation: 'read', belowMs: 5 }] }),
    'the calls of users are not counted',
  ],
  ...['from', 'mirror', 'tier', 'keepIn', 'name', 'policy'].map((place): [string, unknown, string] => [
    `a URL with a password as ${place}`,
    withUrlAs(place, 'redis://u:hunter2@h'),
    place === 'name'
      ? 'stores.redis://h: a name has'
      : place === 'policy'
        ? "no store 'redis://h'"
        : 'a URL cannot stand here.',
  ]),
  [
    'the records of another store',
    { stores: { a: 'lmdb:./x', b: { url: 'lmdb:x/', timeoutMs: 5 } } },
    'stores.b: its records are those of a. Give it a dataset or a namespace of its own, or, to share them, write `from: a`.',
  ],
  [
    'a mirror of the same records',
    { stores: { a: 'memory:', b: { from: 'a' }, c: { mirror: { primary: 'a', secondary: 'b' } } } },
    'stores.c: the records of a and b are the same, not two copies.',
  ],
  [
    'a mirror of objects',
    {
      stores: {
        a: { url: 'memory:', layers: ['json'] },
        b: 'memory:',
        c: { mirror: { primary: 'a', secondary: 'b' } },
      },
    },
    'stores.c.mirror.primary: a has the layer json, but here it must hold bytes.',
  ],
  [
    'a cache tier of objects',
    {
      stores: {
        a: { url: 'memory:', layers: [{ tier: { store: 'b' } }] },
        b: { url: 'memory:', layers: ['text'] },
      },
    },
    'stores.a.layers[0].tier.store: b has the layer text, but here it must hold bytes.',
  ],
  [
    'a retention of what is not kept',
    monitored({ minutesMs: 1e9 }),
    'monitor: `minutesMs` of recorder() needs `keepIn`',
  ],
  [
    'a time between writes that no timer has',
    monitored({ keepIn: 'users', flushMs: 1e12 }),
    'at most 3600000',
  ],
  ['a retention of more than a life', monitored({ keepIn: 'users', daysMs: 1e18 }), 'at most 3155760000000'],
])('%s is one clear sentence', async (_, config, words) => {
  const error = await openStores(config as never).then(
    () => undefined,
    (reason: unknown) => reason as StoreError,
  )
  expect(error).toBeInstanceOf(StoreError)
  expect(error?.code).toMatch(/INVALID_CONFIG|UNSUPPORTED|INVALID_ARGUMENT/)
  expect(error?.message).toContain(words)
  expect(error?.message).not.toContain('short secret')
  expect(error?.message).not.toContain('hunter2')
  expect(error?.message).not.toContain('\n')
})
