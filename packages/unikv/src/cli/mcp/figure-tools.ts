import { StoreError } from '@unikv/core'
import { factNames, knownStores } from '@unikv/stores/knowledge'
import { durabilities, features } from '@unikv/stores/lazy'
import { z } from 'zod'
import { durabilityFactLack, featureLacks } from '../evaluate/lacks.ts'
import { knowledgeOf, screenedBy, unopenedText } from '../stores/knowledge.ts'
import { tool } from './tool.ts'

/** Figures of stores, now and in the past. */
export const statistics = tool({
  name: 'statistics',
  title: 'Figures of stores',
  description:
    'Calls, errors, latencies in milliseconds and hits of each operation of this process; the slowest of its latest calls; and with a store the past of all processes, where the configuration keeps it.',
  input: z.strictObject({
    store: z.string().optional().describe('name of a store; all by default'),
    from: z.iso.datetime().optional().describe('beginning of the past, such as 2026-01-31T00:00:00Z'),
    resolution: z.enum(['minute', 'hour', 'day']).optional().describe('of the past, hour by default'),
  }),
  async run({ store, from, resolution = 'hour' }, { ask }) {
    const { stores, hasPast } = await ask<Overview>('/api/overview')
    if (store === undefined && from !== undefined)
      throw new StoreError('INVALID_ARGUMENT', 'from: name a store as well.')
    if (store !== undefined && !stores.some(({ name }) => name === store))
      throw new StoreError('INVALID_ARGUMENT', 'There is no such store here.')
    const figures = await ask<Figures | null>('/api/figures')
    const slow = await ask<readonly { readonly store: string }[]>('/api/calls')
    const past = new URLSearchParams({
      store: store ?? '',
      resolution,
      ...(from === undefined ? {} : { from }),
    })
    return {
      ...figures,
      stores: Object.fromEntries(
        Object.entries(figures?.stores ?? {}).filter(([name]) => name === (store ?? name)),
      ),
      slow: slow.filter((call) => call.store === (store ?? call.store)).slice(0, 10),
      past: hasPast && store !== undefined ? await ask(`/api/history?${past.toString()}`) : undefined,
    }
  },
})

/** Results of benchmarks beside each other. */
export const compare = tool({
  name: 'compare',
  title: 'Results of benchmarks, compared',
  description:
    'Compares stored results of unikv bench, in Markdown: what differs, and whether the runs can tell.',
  input: z.strictObject({
    results: z.array(z.string()).min(2).max(20).describe('names of results, as list tells them'),
  }),
  run: ({ results }, { compare }) => compare(results),
})

/** Which store fits. */
export const evaluate = tool({
  name: 'evaluate',
  title: 'Stores that meet requirements',
  description: `Screens all stores that unikv knows by requirements, and says why others are out. Nothing is measured. Facts: ${factNames.join(', ')}.`,
  input: z.strictObject({
    require: z
      .array(z.string())
      .optional()
      .describe('facts of the product: transactions=any, tls, or queries=filter+join'),
    needs: z
      .array(z.enum(Object.keys(features)))
      .optional()
      .describe('features with unikv'),
    durability: z.enum(durabilities).optional().describe('what acknowledged writes must survive'),
  }),
  async run({ require, needs = [], durability }, { ask }) {
    await ask('/api/overview') // for callers alone
    const screened = screenedBy(await knowledgeOf(undefined, require))
    const { stores } = await import('@unikv/stores')
    return knownStores.map((known) => {
      const { name, title } = known
      const variants = stores.find((one) => one.name === name)?.variants.map((one) => one.capabilities) ?? []
      const lacks =
        known.unopened === undefined
          ? [...featureLacks(variants, { needs }), ...durabilityFactLack(variants, { durability })]
          : [unopenedText(known)]
      const { passes = true, reasons = [] } = screened.get(name) ?? {}
      return { store: name, title, fits: passes && lacks.length === 0, reasons: [...lacks, ...reasons] }
    })
  },
})

/** The parts of answers of the page that are used here. */
interface Overview {
  readonly stores: readonly { readonly name: string }[]
  readonly hasPast: boolean
}
interface Figures {
  readonly stores: Readonly<Record<string, unknown>>
}
