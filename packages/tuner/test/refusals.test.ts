import { openStores } from '@unikv/manager'
import { expect, test } from 'vitest'
import { builtIn, type TunerOptions, tuner } from '../src/index.ts'

const promise = { store: 'users', operation: 'read', belowMs: 5 } as const
const policy = { tactics: ['add-index'], stores: ['users'], mostPerDay: 1 }

test.each([
  [
    { policies: [{ ...promise, store: 'usrs' }] },
    "names the store 'usrs', which the manager does not have. Did you mean 'users'?",
  ],
  [{ policies: [{ ...promise, operation: 'reed' }] }, 'must name an operation'],
  [{ keepIn: 'log' }, "`keepIn` names the store 'log', but the manager has users, carts."],
  [{ approve: 'yes' }, "must be 'ask', a policy or a function, got 'yes'"],
  [
    { approve: { ...policy, tactics: ['add-idx'] } },
    "names 'add-idx', but the tactics are add-index, drop-index",
  ],
  [{ approve: { ...policy, stores: ['usrs'] } }, "names 'usrs', but the stores are users, carts"],
  [{ approve: { ...policy, mostPerDay: 0 } }, 'needs `mostPerDay`: a whole number of at least 1'],
  [
    { approve: { ...policy, hours: { from: '25:00', to: '05:00' } } },
    "takes `hours` as { from: '22:00', to: '05:00' }, in UTC",
  ],
  [{ tactics: [{ ...builtIn[0], undo: undefined }] }, '`tactics[0]` has no function undo'],
  [{ tactics: [builtIn[0], builtIn[0]] }, '`tactics[1]` needs a name of its own'],
  [{ lessons: '/not/there.json' }, '/not/there.json cannot be read (ENOENT)'],
  [{ everyMs: 1 }, 'everyMs'],
])('tuner() refuses %j with a sentence', async (options, sentence) => {
  const stores = { users: 'memory:', carts: 'memory:' }
  await using manager = await openStores({ stores, monitor: true })
  const given = { manager, ...options } as unknown as TunerOptions
  expect(() => tuner(given)).toThrow(
    expect.objectContaining({ code: 'INVALID_CONFIG', message: expect.stringContaining(sentence) }),
  )
})

test('without a monitor there is nothing to tune by', async () => {
  await using manager = await openStores({ stores: { users: 'memory:' } })
  expect(() => tuner({ manager })).toThrow('`manager` has no monitor, so there is nothing to tune by.')
})
