import { describe, expect, test } from 'vitest'
import { Ending } from '../src/client/ending.ts'

describe('the signal of a command', () => {
  test('each listener is told once, with the signal, and not after it was taken back', () => {
    const ending = new Ending()
    const told: string[] = []
    const gone = (): void => void told.push('gone')
    ending.signal.addEventListener('abort', gone)
    ending.signal.addEventListener('abort', function (this: AbortSignal) {
      told.push(`function ${this === ending.signal}`)
    })
    ending.signal.addEventListener('abort', { handleEvent: ({ type }) => void told.push(type) })
    ending.signal.removeEventListener('abort', gone)
    ending.signal.removeEventListener('abort', gone)
    ending.abort()
    ending.abort()
    expect(told).toEqual(['function true', 'abort'])
    expect(ending.signal.aborted).toBe(true)
    expect(() => ending.signal.throwIfAborted()).toThrow('aborted')
  })

  test('it is free for the next command when nobody listens, and never again once it was aborted', () => {
    const ending = new Ending()
    const listener = (): void => {}
    const seen = [ending.isFree]
    ending.signal.addEventListener('abort', listener)
    seen.push(ending.isFree)
    ending.signal.removeEventListener('abort', listener)
    seen.push(ending.isFree)
    ending.abort()
    seen.push(ending.isFree)
    expect(seen).toEqual([true, false, true, false])
  })

  test('signals that follow it are aborted with it', () => {
    const ending = new Ending()
    const following = AbortSignal.any([ending.signal])
    ending.abort()
    expect(following.aborted).toBe(true)
  })
})
