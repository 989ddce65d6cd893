import { conformance, testClock, topicsOfClients, topicsOfServers } from '@unikv/conformance'
import { compose, json } from '@unikv/core'
import { isWhole, smallMemory } from '@unikv/test-kit/vitest'
import { describe, test } from 'vitest'
import { encryption, kmsKeys, localKms, nameKey } from '../../src/index.ts'
import { keys, root2 } from '../records.ts'

const clock = testClock()
const names = nameKey(root2)

describe('encryption with hashed names', async () => {
  await conformance({
    topics: isWhole ? undefined : topicsOfServers,
    // A listing under a prefix opens the names of all.
    keyStep: isWhole ? 1 : 3,
    test,
    describe,
    clock,
    open: () => compose(smallMemory({ clock }), [encryption({ dataset: 'users', keys, names })]),
  })
})

describe('encryption with hashed names and the keys of a service', async () => {
  await conformance({
    test,
    describe,
    clock,
    topics: isWhole ? topicsOfClients : /^(read and write|batches$|conditions|errors)/,
    open: () => {
      const service = kmsKeys({ providers: localKms({ keys }) })
      return compose(smallMemory({ clock }), [encryption({ dataset: 'users', keys: service, names })])
    },
  })
})

if (process.env.UNIKV_ALL_STORES !== undefined)
  describe('JSON, padded, with hashed names', async () => {
    await conformance({
      test,
      describe,
      clock,
      open: () =>
        compose(smallMemory({ clock }), [
          json(),
          encryption({ dataset: 'users', keys, names, padding: 'padme' }),
        ]),
      value: (n) => ({ n, name: `value ${n}` }),
    })
  })
