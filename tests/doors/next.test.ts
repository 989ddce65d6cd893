import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { keyValue, StoreError, supports } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { structured } from '@unikv/core/structured'
import { nextCacheHandler, nextUseCacheHandler, type UseCacheEntry } from '@unikv/next'
import { describe, expect, test } from 'vitest'
import { onFourStores } from './four-stores.ts'

const hour = 3600
const page = (html: string, tags = '') => ({
  kind: 'APP_PAGE',
  html,
  rscData: Buffer.from('rsc'),
  segmentData: new Map([['/_tree', Buffer.from('tree')]]),
  headers: { 'x-next-cache-tags': tags, vary: ['rsc', 'accept'] },
  postponed: undefined,
  status: 200,
})
const pages = { kind: 'APP_PAGE', cacheControl: { revalidate: hour, expire: 2 * hour } }
const fetched = (body: string, tags: string[] = []) => ({
  kind: 'FETCH',
  data: { headers: {}, body, status: 200, url: 'http://x' },
  revalidate: hour,
  tags,
})
const fetches = { kind: 'FETCH', fetchCache: true }

/** The result of a function with `'use cache'`, begun now. */
const result = (text: string, tags: string[] = [], more: object = {}): UseCacheEntry => ({
  value: new Blob([text]).stream(),
  tags,
  timestamp: performance.timeOrigin + performance.now(),
  stale: 300,
  revalidate: hour,
  expire: 24 * hour,
  ...more,
})
const textOf = async (entry: UseCacheEntry | undefined) => entry && new Response(entry.value).text()

onFourStores('next', (bytes) => {
  const open = (name: string) => () => {
    const kv = keyValue(bytes, [structured()]).namespace(name)
    if (!supports(kv, 'conditionalWrite')) throw new Error('all four can')
    return kv
  }

  describe('cacheHandler', () => {
    /** Two processes: each makes a handler for every request. */
    const processes = (name: string) => {
      const classes = [nextCacheHandler(open(name)), nextCacheHandler(open(name))] as const
      return classes.map((Class) => () => new Class({})) as [() => Handler, () => Handler]
    }
    type Handler = InstanceType<ReturnType<typeof nextCacheHandler>>

    test.each([
      ['APP_PAGE', page('<p>ä')],
      ['APP_ROUTE', { kind: 'APP_ROUTE', body: Buffer.from([0, 255]), headers: {}, status: 200 }],
      [
        'PAGES',
        { kind: 'PAGES', html: '<p>', pageData: { props: { a: [1, null] } }, headers: {}, status: 200 },
      ],
      ['FETCH', fetched('body')],
      ['REDIRECT', { kind: 'REDIRECT', props: { pageProps: { __N_REDIRECT: '/b' } } }],
      ['IMAGE', { kind: 'IMAGE', etag: 'e', buffer: Buffer.from([1]), extension: 'png', upstreamEtag: 'u' }],
      ['APP_PAGE', null],
    ])('one process keeps %s, another one gets the same, with Buffers', async (kind, value) => {
      const [one, two] = processes(`kinds-${kind}-${value === null}`)
      expect(await one().get('/a', { kind })).toBeNull()
      await one().set('/a', value, { ...pages, fetchCache: kind === 'FETCH' })
      const got = await two().get('/a', { kind })
      expect(got?.value).toEqual(value)
      expect(got?.cacheControl).toEqual(pages.cacheControl)
      expect(Math.abs((got?.lastModified ?? 0) - Date.now())).toBeLessThan(60_000)
      one().resetRequestCache()
    })

    test.each([
      ['of a page', pages, page('old', 'news,_N_T_/a'), { kind: 'APP_PAGE' }],
      ['of fetch', fetches, fetched('old', ['news']), { kind: 'FETCH' }],
      ['that fetch asks with', fetches, fetched('old'), { kind: 'FETCH', tags: ['news'] }],
      ['of the path', fetches, fetched('old'), { kind: 'FETCH', softTags: ['news'] }],
    ])('a tag %s, revalidated in one process, is gone in the other', async (_, context, value, wanted) => {
      const [one, two] = processes('tags')
      await one().get('/a', wanted)
      await one().set('/a', value, context)
      await one().revalidateTag('other')
      expect((await two().get('/a', wanted))?.value).toEqual(value)
      await one().revalidateTag(['another', 'news'])
      const request = two()
      expect(await request.get('/a', wanted)).toBeNull()
      await request.set('/a', value, context)
      expect((await one().get('/a', wanted))?.value).toEqual(value)
    })

    test('work that began before a revalidation, and ends after it, is not shown', async () => {
      const [one, two] = processes('late')
      const slow = one()
      await slow.get('/a', pages)
      await two().revalidateTag('news')
      await slow.set('/a', page('old', 'news'), pages)
      expect(await two().get('/a', pages)).toBeNull()
    })

    test('with durations an entry is stale first: shown once more, or made anew if it has no time', async () => {
      const [one, two] = processes('stale')
      const put = async (key: string, value: object, context: object) => {
        const request = one()
        await request.get(key, context)
        await request.set(key, value, context)
      }
      await put('/a', page('a', 'news'), pages)
      await put('/b', page('b', 'news'), { ...pages, cacheControl: { revalidate: false } })
      await put('f', fetched('f', ['news']), fetches)
      await two().revalidateTag('news', { expire: hour })
      const [a, b, f] = await Promise.all([
        one().get('/a', pages),
        one().get('/b', pages),
        one().get('f', fetches),
      ])
      const age = (Date.now() - (a?.lastModified ?? 0)) / 1000
      expect(age > hour && age < 2 * hour).toBe(true)
      expect([b, f]).toEqual([null, null])
      await two().revalidateTag('news', { expire: 0 })
      expect(await one().get('/a', pages)).toBeNull()
    })

    test('pages belong to their build, answers of fetch to all', async () => {
      const folder = await mkdtemp(join(tmpdir(), 'unikv-next-'))
      const builds = await Promise.all(
        ['one', 'two'].map(async (id) => {
          await mkdir(join(folder, id, 'server'), { recursive: true })
          await writeFile(join(folder, id, 'BUILD_ID'), id)
          const Class = nextCacheHandler(open('builds'))
          return () => new Class({ serverDistDir: join(folder, id, 'server') })
        }),
      )
      const [one, two] = builds as [() => Handler, () => Handler]
      await one().set('/a', page('a'), pages)
      await one().set('f', fetched('f'), fetches)
      expect([await two().get('/a', pages), (await one().get('/a', pages))?.value.html]).toEqual([null, 'a'])
      expect((await two().get('f', fetches))?.value.data.body).toBe('f')
      await rm(folder, { recursive: true })
    })

    test('fifty revalidations of two processes at once lose none', async () => {
      const [one, two] = processes('many')
      const tags = Array.from({ length: 50 }, (_, index) => `tag-${index}`)
      for (const tag of tags) await one().set(tag, fetched(tag, [tag, 'all']), fetches)
      const rounds = tags.map((tag, index) => (index % 2 === 0 ? one : two)().revalidateTag([tag, 'all']))
      await Promise.all(rounds)
      expect(await Promise.all(tags.map((tag) => two().get(tag, fetches)))).toEqual(tags.map(() => null))
    })
  })

  describe('cacheHandlers', () => {
    const processes = (name: string) =>
      [nextUseCacheHandler(open(name)), nextUseCacheHandler(open(name))] as const

    test('one process keeps a result, another one gets it, as often as it asks', async () => {
      const [one, two] = processes('use')
      const key = JSON.stringify(['build', 'id', ['ä'.repeat(5000)]])
      expect(await one.get(key, [])).toBeUndefined()
      const { value: _, ...times } = result('', ['news'])
      await one.set(key, Promise.resolve({ ...times, value: result('text ä').value }))
      for (const handler of [two, one, two]) {
        const got = await handler.get(key, [])
        expect(await textOf(got)).toBe('text ä')
        expect(got).toMatchObject(times)
      }
      expect(await two.getExpiration(['news'])).toBe(Number.POSITIVE_INFINITY)
      await two.refreshTags()
    })

    test.each([
      ['its own', ['news'], []],
      ['the path', [], ['news']],
    ])(
      'a tag of %s, revalidated in one process, is gone in the other, whatever their clocks say',
      async (_, own, soft) => {
        const [one, two] = processes('use-tags')
        await one.get('k', soft)
        await one.set('k', Promise.resolve(result('old', own, { timestamp: Date.now() + 1e6 })))
        await one.updateTags(['other'])
        expect(await textOf(await two.get('k', soft))).toBe('old')
        await one.updateTags(['news'])
        expect(await two.get('k', soft)).toBeUndefined()
        await two.set('k', Promise.resolve(result('new', own)))
        expect(await textOf(await one.get('k', soft))).toBe('new')
      },
    )

    test('work that began before a revalidation, and ends after it, is not shown', async () => {
      const [one, two] = processes('use-late')
      await one.get('k', [])
      const begun = result('old', ['news'])
      await two.updateTags(['news'])
      await one.get('other', [])
      await one.set('k', Promise.resolve(begun))
      expect(await two.get('k', [])).toBeUndefined()
    })

    test('with durations a result is stale first, and gone after them', async () => {
      const [one, two] = processes('use-stale')
      await one.set('k', Promise.resolve(result('old', ['news'])))
      await two.updateTags(['news'], { expire: hour })
      const stale = await one.get('k', [])
      expect([await textOf(stale), stale?.revalidate]).toEqual(['old', -1])
      await two.updateTags(['news'], { expire: 0.1 })
      await expect.poll(async () => one.get('k', []), { timeout: 60_000 }).toBeUndefined()
    })

    test('a get waits for a set of its process; a stream that fails, and what is expired, is not kept', async () => {
      const [one] = processes('use-pending')
      let resolve: (entry: UseCacheEntry) => void = () => {}
      const setting = one.set('k', new Promise<UseCacheEntry>((done) => (resolve = done)))
      const getting = one.get('k', [])
      resolve(result('late'))
      expect(await textOf(await getting)).toBe('late')
      await setting
      const failing = new ReadableStream({ pull: (controller) => controller.error(new Error('render')) })
      await one.set('failed', Promise.resolve({ ...result(''), value: failing }))
      await one.set('none', Promise.resolve(result('none', [], { expire: 0 })))
      await one.set('past', Promise.resolve(result('past', [], { timestamp: 1 })))
      for (const key of ['failed', 'none', 'past']) expect(await one.get(key, [])).toBeUndefined()
    })
  })
})

test('a page or result that may not be kept takes the place of an older one', async () => {
  const pageHandler = new (nextCacheHandler(() => keyValue(memory(), [structured()])))({})
  await pageHandler.set('/a', page('old'), pages)
  await pageHandler.set('/a', page('new'), { ...pages, cacheControl: { revalidate: 0, expire: 0 } })
  expect(await pageHandler.get('/a', pages)).toBeNull()
  const handler = nextUseCacheHandler(() => keyValue(memory(), [structured()]))
  await handler.set('k', Promise.resolve(result('old')))
  await handler.set('k', Promise.resolve(result('new', [], { expire: 0 })))
  expect(await handler.get('k', [])).toBeUndefined()
})

test('the listener and what is opened are checked; what the listener throws is its own affair', async () => {
  const open = () => keyValue(memory(), [structured()])
  expect(() => nextCacheHandler(open, { onError: 'log' as never })).toThrow('`onError` of nextCacheHandler()')
  const late = nextUseCacheHandler((async () => open()) as never)
  await expect(late.get('k', [])).rejects.toMatchObject({ code: 'INVALID_CONFIG' })
  const failing = () => {
    throw new Error('mine')
  }
  const rejecting: (error: unknown) => unknown = () => Promise.reject(new Error('mine'))
  for (const onError of [failing, rejecting]) {
    const handler = nextUseCacheHandler((() => undefined) as never, { onError })
    expect(await handler.get('k', [])).toBeUndefined()
  }
})

test('a tag alone is not a list of its characters', async () => {
  const handler = nextUseCacheHandler(() => keyValue(memory(), [structured()]))
  await handler.set('k', Promise.resolve(result('old', ['tag'])))
  await handler.updateTags('tag' as never)
  expect(await handler.get('k', [])).toBeUndefined()
})

test('failures reject, or are told: then there is no entry; those of revalidations always reject', async () => {
  const told: unknown[] = []
  const closed = () => {
    const kv = keyValue(memory(), [structured()])
    void kv.close()
    return kv
  }
  const code = { code: 'CLOSED' }
  for (const onError of [undefined, (error: unknown) => told.push(error)]) {
    const options = { onError }
    const pageHandler = new (nextCacheHandler(closed, options))({})
    const handler = nextUseCacheHandler(closed, options)
    const calls = [
      pageHandler.get('/a', pages),
      pageHandler.set('/a', page('a'), pages),
      handler.get('k', []),
      handler.set('k', Promise.resolve(result('a'))),
    ]
    if (onError) expect(await Promise.all(calls)).toEqual([null, undefined, undefined, undefined])
    else for (const call of calls) await expect(call).rejects.toMatchObject(code)
    await expect(pageHandler.revalidateTag('a')).rejects.toMatchObject(code)
    await expect(handler.updateTags(['a'])).rejects.toMatchObject(code)
  }
  expect(told).toHaveLength(4)
  expect(told.every((error) => error instanceof StoreError)).toBe(true)
})

test('a store without conditional writes does not compile, and says so; options are checked', async () => {
  const { conditionalWrite: _, ...others } = memory().capabilities
  const plain = keyValue({ ...memory(), capabilities: { ...others, conditionalWrite: false } as const }, [
    structured(),
  ])
  // @ts-expect-error: without conditionalWrite
  const handler = nextUseCacheHandler(() => plain)
  await expect(handler.updateTags(['a'])).rejects.toMatchObject({ code: 'UNSUPPORTED' })
  expect(() => nextCacheHandler(() => keyValue(memory(), [structured()]), { ttlMs: 0 })).toThrow('ttlMs')
})
