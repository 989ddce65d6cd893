import type { Token } from '../../src/history/operation.ts'
import {
  CorrectRegister,
  type SimulatedAnswer,
  type SimulatedCall,
  type SimulatedStore,
} from './simulation.ts'

type Random = () => number
type Later = (delay: number, task: () => void) => void

/** A correct register in which `bug` decides some calls, by answering them itself. */
function buggy(
  bug: (
    register: CorrectRegister,
    call: SimulatedCall,
    random: Random,
    later: Later,
  ) => SimulatedAnswer | undefined,
): () => SimulatedStore {
  return () => {
    const register = new CorrectRegister()
    return {
      effect: (call, random, later) =>
        bug(register, call, random, later) ?? register.effect(call, random, later),
    }
  }
}

const isConditional = ({ ifToken }: SimulatedCall): boolean => ifToken !== undefined
const isCompare = ({ ifToken }: SimulatedCall): boolean => typeof ifToken === 'string'
const isDelete = ({ isRead, token }: SimulatedCall): boolean => !isRead && token === undefined
const isSet = ({ token }: SimulatedCall): boolean => token !== undefined
const applied: SimulatedAnswer = { applied: true }

/** Registers that are not linearizable, each in its own way. */
export const plantedBugs: Readonly<Record<string, () => SimulatedStore>> = {
  'a read is answered by a copy that lags behind': () => {
    const register = new CorrectRegister()
    const copy = new Map<string, Token>()
    return {
      effect(call, random, later) {
        if (call.isRead && random() < 0.3) return { found: copy.get(call.key) }
        const answer = register.effect(call, random, later)
        const { key } = call
        later(25, () => {
          const present = register.state.get(key)
          if (present === undefined) copy.delete(key)
          else copy.set(key, present)
        })
        return answer
      },
    }
  },
  'a write is acknowledged and lost': buggy((_, call, random) =>
    !call.isRead && !isConditional(call) && random() < 0.1 ? applied : undefined,
  ),
  'a condition is ignored': buggy((register, call) => {
    if (!isCompare(call)) return undefined
    register.put(call.key, call.token)
    return applied
  }),
  'a condition is compared with the version before': () => {
    const register = new CorrectRegister()
    const before = new Map<string, Token | undefined>()
    return {
      effect(call, random, later) {
        const present = register.state.get(call.key)
        if (isCompare(call) && before.get(call.key) === call.ifToken) {
          register.put(call.key, call.token)
          return applied
        }
        const answer = register.effect(call, random, later)
        if (register.state.get(call.key) !== present) before.set(call.key, present)
        return answer
      },
    }
  },
  'a create replaces what is there': buggy((register, call) => {
    if (call.ifToken !== null) return undefined
    register.put(call.key, call.token)
    return applied
  }),
  'a condition that holds is refused': buggy((register, call, random) =>
    isCompare(call) && register.state.get(call.key) === call.ifToken && random() < 0.3
      ? { refused: true }
      : undefined,
  ),
  'a refused write takes effect': buggy((register, call, random) => {
    if (!isCompare(call) || register.state.get(call.key) === call.ifToken || random() > 0.3) return undefined
    register.put(call.key, call.token)
    return { refused: true }
  }),
  'a write without an answer takes effect twice': buggy((register, call, random, later) => {
    if (!isSet(call) || isConditional(call) || random() > 0.2) return undefined
    register.put(call.key, call.token)
    later(20 + random() * 20, () => register.put(call.key, call.token))
    later(45, () => register.put(call.key, call.token))
    return { unknown: true }
  }),
  'an answered write is sent again': buggy((register, call, random, later) => {
    if (!isSet(call) || isConditional(call) || random() > 0.1) return undefined
    register.put(call.key, call.token)
    later(20 + random() * 20, () => register.put(call.key, call.token))
    return applied
  }),
  'an error says that nothing was changed, and something was': buggy((register, call, random) => {
    if (call.isRead || random() > 0.1) return undefined
    register.apply(call)
    return { failed: true }
  }),
  'a write is acknowledged before it takes effect': () => {
    const register = new CorrectRegister()
    return { effect: (call, random, later) => register.effect(call, random, later), effectAfterAnswer: 10 }
  },
  'a read sees a write that is taken back': buggy((register, call, random, later) => {
    if (!isSet(call) || isConditional(call) || random() > 0.15) return undefined
    const before = register.state.get(call.key)
    register.put(call.key, call.token)
    later(8, () => {
      if (register.state.get(call.key) === call.token) register.put(call.key, before)
    })
    return { failed: true }
  }),
  'a delete leaves the key': buggy((_, call, random) =>
    isDelete(call) && random() < 0.5 ? applied : undefined,
  ),
  'a deleted key comes back': buggy((register, call, random, later) => {
    const present = register.state.get(call.key)
    if (!isDelete(call) || isConditional(call) || present === undefined || random() > 0.5) return undefined
    register.put(call.key, undefined)
    later(15, () => {
      if (!register.state.has(call.key)) register.put(call.key, present)
    })
    return applied
  }),
  'a reply goes to the wrong call': buggy((register, call, random) =>
    call.isRead && random() < 0.05 ? { found: register.state.get('key 0') } : undefined,
  ),
  'two acknowledged writes change places': () => {
    const register = new CorrectRegister()
    return {
      effect(call, random, later) {
        const earlier = register.state.get(call.key)
        const answer = register.effect(call, random, later)
        if (isSet(call) && !isConditional(call) && 'applied' in answer && random() < 0.15)
          later(12, () => {
            if (register.state.get(call.key) === call.token) register.put(call.key, earlier)
          })
        return answer
      },
    }
  },
  'two primaries serve a client each': () => {
    const registers = [new CorrectRegister(), new CorrectRegister()] as const
    return {
      effect: (call, random, later) =>
        (call.client === 0 ? registers[0] : registers[1]).effect(call, random, later),
    }
  },
  'a client reads its own cache': () => {
    const register = new CorrectRegister()
    const cached = new Map<string, Token | undefined>()
    return {
      effect(call, random, later) {
        const place = `${call.client} ${call.key}`
        if (call.isRead && cached.has(place) && random() < 0.5) return { found: cached.get(place) }
        const answer = register.effect(call, random, later)
        if (call.isRead && 'found' in answer) cached.set(place, answer.found)
        return answer
      },
    }
  },
  'a condition is checked first and written later': buggy((register, call, random, later) => {
    if (!isCompare(call)) return undefined
    if (register.state.get(call.key) !== call.ifToken) return { refused: true }
    later(random() * 4, () => register.put(call.key, call.token))
    return applied
  }),
  'a conditional delete ignores the version': buggy((register, call) => {
    if (!isDelete(call) || !isCompare(call)) return undefined
    register.put(call.key, undefined)
    return applied
  }),
  'a refusal tells a version that is not there': buggy((register, call, random) =>
    isCompare(call) && register.state.get(call.key) !== call.ifToken && random() < 0.3
      ? { refused: true, found: 'token of nobody' }
      : undefined,
  ),
  'a crash takes acknowledged writes': () => {
    const register = new CorrectRegister()
    let saved = new Map<string, Token>()
    let calls = 0
    return {
      effect(call, random, later) {
        calls++
        if (calls % 60 === 0) saved = new Map(register.state)
        if (calls % 60 === 40) {
          register.state.clear()
          for (const [key, token] of saved) register.state.set(key, token)
        }
        return register.effect(call, random, later)
      },
    }
  },
  'the write with the later clock wins': () => {
    const register = new CorrectRegister()
    const clocks = new Map<string, number>()
    let calls = 0
    return {
      effect(call, random, later) {
        if (call.isRead) return register.effect(call, random, later)
        // One client's clock goes ahead of those of the others.
        const clock = ++calls + (call.client === 0 ? 10 : 0)
        if (clock < (clocks.get(call.key) ?? 0) && !isConditional(call)) return applied
        clocks.set(call.key, clock)
        return register.effect(call, random, later)
      },
    }
  },
}
