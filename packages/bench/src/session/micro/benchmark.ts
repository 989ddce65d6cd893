import { type Benchmark, type Executions, interactions } from '../model/benchmark.ts'
import { usersOf } from '../model/declared-numbers.ts'
import type { Transitions, WeightedNext } from '../model/transitions.ts'
import type { MicroCalls } from './calls.ts'
import { checkMicro, type MicroParameters, microParameters } from './parameters.ts'
import { type MicroState, microPlans } from './plans.ts'

/** The benchmark Micro over a data access: content of users, by four kinds of entities in 19 interactions. */
export function micro<Db>(executions: Executions<Db, MicroCalls>): Benchmark<Db, MicroState> {
  return {
    name: 'micro',
    interactions: interactions(microPlans, executions),
    parameters: microParameters,
    models: microModels,
    users: usersOf,
    check: checkMicro,
    begin: (values) => ({ values: values as unknown as MicroParameters, picked: {} }),
  }
}

/** The models of users that the paper's experiments are made of. None of them leads to `END`: sessions go on until the run ends. */
export const microModels: Readonly<Record<string, Transitions>> = {
  item: readAndWrite('ITEM'),
  shared: readAndWrite('SHARED'),
  post: {
    START: ['HOME'],
    HOME: [
      to('LIST_POST', 0.2),
      to('LIST_MY_POST', 0.3),
      to('GET_POST', 0.1),
      to('GET_MY_POST', 0.2),
      to('CREATE_POST', 0.2),
    ],
    GET_POST: ['HOME'],
    LIST_POST: ['HOME'],
    LIST_MY_POST: [to('CREATE_POST', 0.3), to('UPDATE_POST', 0.5), to('HOME', 0.2)],
    'LIST_MY_POST@EMPTY_RESULT': [to('CREATE_POST', 0.5), to('HOME', 0.5)],
    GET_MY_POST: [to('GET_MY_POST', 0.3), to('UPDATE_POST', 0.5), to('HOME', 0.2)],
    'GET_MY_POST@EMPTY_RESULT': [to('LIST_MY_POST', 0.5), to('HOME', 0.5)],
    UPDATE_POST: ['HOME'],
    CREATE_POST: ['HOME'],
  },
  submission: {
    START: ['HOME'],
    HOME: [
      to('LIST_SUBMISSION_TO_ME', 0.3),
      to('LIST_SUBMISSION_BY_ME', 0.3),
      to('LIST_SUBMISSION_BY_RECEIVER', 0.1),
      to('CREATE_SUBMISSION', 0.3),
    ],
    LIST_SUBMISSION_TO_ME: [to('LIST_SUBMISSION_BY_RECEIVER', 0.5), to('HOME', 0.5)],
    'LIST_SUBMISSION_TO_ME@EMPTY_RESULT': ['HOME'],
    LIST_SUBMISSION_BY_ME: [
      to('UPDATE_SUBMISSION', 0.5),
      to('LIST_SUBMISSION_BY_RECEIVER', 0.2),
      to('HOME', 0.3),
    ],
    'LIST_SUBMISSION_BY_ME@EMPTY_RESULT': [to('CREATE_SUBMISSION', 0.5), to('LIST_SUBMISSION_TO_ME', 0.5)],
    UPDATE_SUBMISSION: [to('LIST_SUBMISSION_BY_RECEIVER', 0.25), to('HOME', 0.75)],
    CREATE_SUBMISSION: [to('LIST_SUBMISSION_BY_RECEIVER', 0.25), to('HOME', 0.75)],
    LIST_SUBMISSION_BY_RECEIVER: [to('CREATE_SUBMISSION', 0.2), to('HOME', 0.8)],
  },
  'item-put': { START: ['UPDATE_ITEM'], UPDATE_ITEM: ['UPDATE_ITEM'] },
  'shared-put': { START: ['UPDATE_SHARED'], UPDATE_SHARED: ['UPDATE_SHARED'] },
}

function readAndWrite(kind: 'ITEM' | 'SHARED'): Transitions {
  const [list, get, create, update] = [`LIST_${kind}`, `GET_${kind}`, `CREATE_${kind}`, `UPDATE_${kind}`]
  return {
    START: ['HOME'],
    HOME: [to(list, 0.4), to(get, 0.3), to(create, 0.3)],
    [list]: [to(create, 0.3), to(update, 0.5), to('HOME', 0.2)],
    [`${list}@EMPTY_RESULT`]: ['HOME'],
    [get]: [to(get, 0.3), to(update, 0.5), to('HOME', 0.2)],
    [`${get}@EMPTY_RESULT`]: ['HOME'],
    [update]: ['HOME'],
    [create]: ['HOME'],
  }
}

function to(next: string, weight: number): WeightedNext {
  return { next, weight }
}
