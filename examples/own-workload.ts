// A workload with operations of your own, for `npx unikv bench run --store lmdb:./shop --workload own-workload.ts`.

import { defineWorkload, type OwnWorkload } from '@unikv/bench'
import { supports } from '@unikv/core'

interface Visitor {
  /** Number of the product that was looked at last. */
  product: number
}

const shop: OwnWorkload<Visitor> = defineWorkload({
  name: 'shop',
  records: 1_000,
  keys: 'zipfian',
  values: '100..2K',
  mix: { update: 5 },
  operations: {
    // Visitors look at neighbours of what they saw, and begin anew now and then.
    browse: {
      weight: 80,
      run: async ({ kv, keyOf, draw, random, miss }, visitor) => {
        visitor.product = random() < 0.2 ? draw() : visitor.product + 1
        return (await kv.get(keyOf(visitor.product))) ?? miss
      },
    },
    // A write that holds only if no other visitor bought meanwhile.
    buy: {
      weight: 15,
      needs: ['conditionalWrite'],
      run: async ({ kv, keyOf, valueOf, miss }, { product }) => {
        if (!supports(kv, 'conditionalWrite')) return miss
        const bought = await kv.update(keyOf(product), (value) => value && valueOf(product))
        return bought ?? miss
      },
    },
  },
  setup: async ({ kv }) => kv.set('open since', new TextEncoder().encode(new Date().toISOString())),
  state: ({ random }) => ({ product: Math.floor(random() * 1_000) }),
})

export default shop // oxlint-disable-line import/no-default-export -- the command line takes the default
