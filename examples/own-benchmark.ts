// A benchmark of your own: for `npx unikv bench session own-benchmark.yaml`, and for `bench run --workload own-benchmark.ts`.

import { type Answer, type Executions, interactions, type Plans, sessionWorkload } from '@unikv/bench/session'
import { type EntityDb, entities, entity, plain } from '@unikv/entity'

/** Accounts of a branch are one group, so that a transfer within it is one transaction. */
const Account = entity('Account', {
  schema: plain<{ readonly branch: number; readonly number: number; readonly balance: number }>(),
  id: ['branch', 'number'],
  group: ['branch'],
  indexes: ['branch'],
})
const accounts = 4
const opening = 1_000

interface Transfer {
  readonly branch: number
  readonly from: number
  readonly to: number
}

interface BankCalls {
  VIEW: { params: { readonly branch: number }; answer: Answer & { readonly richest: number } }
  TRANSFER: { params: Transfer; answer: Answer }
}

/** The behavior of a user: written once for all ways to the data. */
const plans: Plans<{ branch: number; richest: number }, BankCalls> = {
  VIEW: {
    prepare: ({ draw, values }) => ({ branch: draw.int(1, Number(values['BRANCHES'])) }),
    complete: ({ state }, { richest }, { branch }) => void Object.assign(state, { branch, richest }),
  },
  TRANSFER: {
    modes: ['NO_MONEY'],
    prepare: ({ state: { branch, richest }, draw }) =>
      branch === 0
        ? undefined
        : { branch, from: richest, to: (richest + draw.int(1, accounts - 1)) % accounts },
  },
}

/** How it is done with entities. */
const byEntities: Executions<EntityDb, BankCalls> = {
  VIEW: async ({ branch }, db) => {
    const all = await db.byIndex(Account, 'branch', branch)
    return { richest: all.reduce((most, one) => (one.balance > most.balance ? one : most)).number }
  },
  TRANSFER: ({ branch, from, to }, db) =>
    db.run(Account.group({ branch }), async (tx) => {
      const [giver, taker] = [
        await tx.get(Account, { branch, number: from }),
        await tx.get(Account, { branch, number: to }),
      ]
      if (giver === undefined || taker === undefined || giver.balance < 1) return { mode: 'NO_MONEY' }
      await tx.update(Account, { ...giver, balance: giver.balance - 1 })
      await tx.update(Account, { ...taker, balance: taker.balance + 1 })
      return {}
    }),
}

const transitions = {
  START: ['VIEW'],
  VIEW: [{ next: 'TRANSFER', weight: 4 }, 'END'],
  TRANSFER: ['VIEW', 'TRANSFER'],
}

const bank = sessionWorkload({
  benchmark: {
    name: 'bank',
    interactions: interactions(plans, byEntities),
    models: { default: transitions },
    begin: () => ({ branch: 0, richest: 0 }),
  },
  model: { transitions, parameters: { BRANCHES: 10 } },
  open: (kv, access) => entities(kv, [Account], access),
  populations: ({ BRANCHES = 10 }) => [
    {
      name: 'branches',
      first: 1,
      count: BRANCHES,
      fill: async (db, branch) => {
        for (let number = 0; number < accounts; number++)
          await db.create(Account, { branch, number, balance: opening })
      },
    },
  ],
  // No transfer may make or lose money.
  check: async (db, { BRANCHES = 10 }) => {
    const problems: string[] = []
    for (let branch = 1; branch <= BRANCHES; branch++) {
      const sum = (await db.byIndex(Account, 'branch', branch)).reduce((all, { balance }) => all + balance, 0)
      if (sum !== accounts * opening)
        problems.push(`Branch ${branch} has ${sum} in the place of ${accounts * opening}.`)
    }
    return problems
  },
  remove: (db) => db.clear(),
})

export default bank // oxlint-disable-line import/no-default-export -- the command line takes the default
