import { openStores } from '@unikv/manager'
import { afterAll, describe, expect, test } from 'vitest'
import { type DashboardOptions, dashboard } from '../src/index.ts'
import type { PromisesView } from '../src/promises.ts'
import type { TunerView } from '../src/tuner-view.ts'
import { proposing } from './proposing.ts'

const { manager, tuning, close } = await proposing()
afterAll(close)

const tokens = [
  { name: 'ann', token: 'token-of-an-admin', may: 'admin' },
  { name: 'bob', token: 'token-of-a-writer', may: 'write' },
  { name: 'cat', token: 'token-of-an-outsider', may: 'admin', stores: ['others'] },
  { name: 'dan', token: 'token-of-a-part-admin', may: 'admin', prefix: 'a/' },
] as const
const [ann, bob, cat, dan] = tokens

/** Asks a dashboard as one of them. */
function opened(options: Partial<DashboardOptions> = { tuner: tuning }, of = manager) {
  const made = dashboard(of, { tokens, ...options })
  afterAll(made.close)
  const ask = (path: string, { token }: { readonly token: string }, body?: object) =>
    made.fetch(
      new Request(`http://localhost/api/${path}`, {
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        ...(body && { method: 'POST', body: JSON.stringify(body) }),
      }),
    )
  const json = async <T>(...of: Parameters<typeof ask>): Promise<T> => (await ask(...of)).json() as Promise<T>
  return { ask, json, fetch: made.fetch }
}

describe('a proposal', () => {
  test('is shown with its reasons, and answered by an admin of the whole store alone', async () => {
    const { ask, json, fetch } = opened()
    const { actions, mayAnswer } = await json<TunerView>('tuner', bob)
    expect([mayAnswer, (await json<TunerView>('tuner', ann)).mayAnswer]).toEqual([false, true])
    expect(actions).toMatchObject([
      { title: 'a change', store: 'users', state: 'proposed', cost: 'Nothing at all.' },
    ])
    expect(actions[0]?.why).toContain('50 % of the calls of read of users')
    expect(actions[0]?.explained.join('\n')).toContain('Figures behind this decision')
    const approve = `tuner/${actions[0]?.id}/approve`
    expect((await json<TunerView>('tuner', cat)).actions).toEqual([])
    expect((await ask(approve, bob, {})).status).toBe(403)
    expect((await ask(approve, cat, {})).status).toBe(404)
    expect((await ask(approve, dan, {})).status).toBe(403)
    expect((await ask(`tuner/${actions[0]?.id.slice(0, 2)}/approve`, ann, {})).status).toBe(404)
    expect((await ask(`tuner/${actions[0]?.id}/undo`, ann, {})).status).toBe(404)
    expect((await fetch(new Request(`http://localhost/api/${approve}`, { method: 'POST' }))).status).toBe(401)
    const form = { method: 'POST', headers: { authorization: `Bearer ${ann.token}` }, body: 'a=b' }
    expect((await fetch(new Request(`http://localhost/api/${approve}`, form))).status).toBe(415)
    expect((await tuning.actions())[0]?.state).toBe('proposed')
  })

  test('keeps who answered and when, and is answered once', async () => {
    const { ask, json } = opened()
    const id = (await json<TunerView>('tuner', ann)).actions[0]?.id
    expect(await json(`tuner/${id}/reject`, ann, {})).toEqual({ state: 'rejected' })
    const [action] = (await json<TunerView>('tuner', ann)).actions
    expect(action?.steps.at(-1)).toMatchObject({ state: 'rejected', by: 'ann', at: expect.any(Number) })
    expect((await ask(`tuner/${id}/approve`, ann, {})).status).toBe(400)
    expect((await tuning.actions())[0]?.state).toBe('rejected')
  })

  test('is nowhere without a tuner', async () => {
    const { ask, json } = opened({})
    expect(await json('overview', ann)).toMatchObject({ hasTuner: false })
    expect((await ask('tuner', ann)).status).toBe(404)
  })
})

describe('promises', () => {
  test('are judged as the recorder judges them', async () => {
    // It judges once a second.
    await expect.poll(() => manager.recorder?.violations().length, { timeout: 30_000 }).toBe(1)
    const { promises, stores, isWhole } = await opened().json<PromisesView>('promises', ann)
    const [violation] = manager.recorder?.violations() ?? []
    expect(promises.map(({ state }) => state)).toEqual(['broken', 'kept', 'few calls'])
    expect(promises[0]).toMatchObject({ found: violation?.found, sinceAt: violation?.sinceAt })
    expect([promises[1]?.found, stores, isWhole]).toEqual([0, ['users', 'others'], true])
  })

  test('about other stores are not shown, and it is said that there are some', async () => {
    const { promises, stores, isWhole } = await opened().json<PromisesView>('promises', cat)
    expect([promises.length, stores, isWhole]).toEqual([1, ['others'], false])
  })

  test('that are proposed come back as text that a configuration takes', async () => {
    const { json } = opened()
    const policies = [{ store: 'others', operation: 'set', belowMs: 20, percentile: 99.9 }]
    const { text } = await json<{ readonly text: string }>('promises/check', bob, { policies })
    const fresh = await openStores({ stores: { others: 'memory:' }, monitor: { policies: JSON.parse(text) } })
    expect(fresh.configuration.monitor?.policies).toEqual(policies)
    await fresh.close()
    expect(manager.configuration.monitor?.policies).toHaveLength(3)
  })

  test.each([
    [undefined, 'policies must be a list'],
    [[{ store: 'others', operation: 'set' }], 'policies[0] must have exactly one of belowMs'],
    [[{ store: 'nobody', operation: 'set', belowMs: 5 }], "No calls of a store 'nobody' are counted here"],
    [[{ store: 'others', operation: 'sett', belowMs: 5 }], "Did you mean 'set'?"],
  ])('that make no sense are refused: %j', async (policies, detail) => {
    const answer = await opened().ask('promises/check', ann, { policies })
    expect([answer.status, (await answer.json()) as object]).toEqual([
      400,
      expect.objectContaining({ detail: expect.stringContaining(detail) }),
    ])
  })

  test('of other processes are judged by what these keep', async () => {
    const live = async () => [{ frame: manager.recorder?.window('5min').frame ?? {} }] as never[]
    const history = { history: async () => [], live }
    const { promises, processes } = await opened({ history }).json<PromisesView>('promises', ann)
    expect([processes, promises[0]?.state]).toEqual([1, 'broken'])
  })
})
