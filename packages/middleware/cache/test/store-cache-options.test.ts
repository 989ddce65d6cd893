import { compose, json, keyValue, passThrough } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { describe, expect, test } from 'vitest'
import { cache, type StoreCacheOptions } from '../src/index.ts'

describe('what is sealed below', () => {
  const sealed = passThrough('sealed', { capabilities: { sealed: true }, wrap: () => ({}) })

  test('is not kept in plain text elsewhere unless that is said', () => {
    const leak = () => compose(memory(), [cache({ store: memory({ name: 'remote' }) }), sealed])
    expect(leak).toThrow('The cache would keep plain text of a sealed store in remote')
    compose(memory(), [cache({ store: memory(), plaintext: 'allowed' }), sealed])
  })

  test('may be kept by a cache below it, or in a cache store that is sealed too', () => {
    compose(memory(), [sealed, cache({ store: memory() })])
    compose(memory(), [cache({ store: compose(memory(), [sealed]) }), sealed])
  })
})

test('names that are hashed below are not kept as they are elsewhere unless that is said', () => {
  const sealed = passThrough('sealed', { capabilities: { sealed: true }, wrap: () => ({}) })
  const scan = { order: 'none', delivery: 'once', prefix: 'namespaces' } as const
  const hashed = passThrough('hashed', { capabilities: { sealed: true, scan }, wrap: () => ({}) })
  const [shown, hidden] = [compose(memory({ name: 'remote' }), [sealed]), compose(memory(), [hashed])]
  expect(() => compose(memory(), [cache({ store: shown }), hashed])).toThrow(
    'The cache would keep key names that are hashed below in remote',
  )
  compose(memory(), [cache({ store: shown, plaintext: 'allowed' }), hashed])
  compose(memory(), [cache({ store: hidden }), hashed])
})

describe('the options', () => {
  test.each<[Partial<StoreCacheOptions>, string]>([
    [{ timeoutMs: 0 }, 'timeoutMs'],
    [{ onError: 'ignore' as never }, 'onError'],
    [{ freshForMs: Number.NaN }, 'freshForMs'],
    [{ namespace: '' }, 'namespace'],
  ])('%j are refused', (options, name) => {
    expect(() => compose(memory(), [cache({ store: memory(), ...options })])).toThrow(name)
  })

  test('a store of documents is no cache store', () => {
    const inner = memory()
    const documents = { ...inner, capabilities: { ...inner.capabilities, documents: true } }
    expect(() => cache({ store: documents })).toThrow('must hold bytes')
  })

  test('the layer takes bytes only', () => {
    // @ts-expect-error -- objects below
    expect(() => keyValue(memory(), [cache({ store: memory() }), json()])).toThrow('needs bytes')
  })

  test('nothing at hand is claimed to be synchronous', () => {
    const stack = compose(memory(), [cache({ store: memory() })])
    expect(stack.capabilities.sync).toBe('none')
  })
})
