import type { Plan, Plans, Visit } from '../model/benchmark.ts'
import { anyUser } from '../model/declared-numbers.ts'
import { emptyResult, type Found, type MicroCalls, type Picked } from './calls.ts'
import type { MicroParameters } from './parameters.ts'

/** Memory of a session of Micro. */
export interface MicroState {
  readonly values: MicroParameters
  /** Content that it looked at last, by kind, for updates. */
  picked: { readonly [K in Kind]?: Picked | undefined }
}

type Kind = 'item' | 'shared' | 'post' | 'submission'
type MicroVisit = Visit<MicroState>
type OwnerOf = (visit: MicroVisit) => number
type CountName = 'ITEMS_PER_USER' | 'ITEMS_PER_SET' | 'POSTS_PER_USER'

const me: OwnerOf = ({ user }) => user
const any: OwnerOf = ({ draw, state: { values } }) => anyUser(values, draw)
const anySet: OwnerOf = ({ draw, state: { values } }) => values.MIN_SET_ID + draw.int(0, values.SET_NUM - 1)

/** The plans of the benchmark Micro. */
export const microPlans: Plans<MicroState, MicroCalls> = {
  CREATE_ITEM: creates(me),
  GET_ITEM: gets(me, 'ITEMS_PER_USER', 'item'),
  LIST_ITEM: lists(me, 'item'),
  UPDATE_ITEM: updates('item', me, 'ITEMS_PER_USER'),
  CREATE_SHARED: creates(anySet),
  GET_SHARED: gets(anySet, 'ITEMS_PER_SET', 'shared'),
  LIST_SHARED: lists(anySet, 'shared'),
  UPDATE_SHARED: updates('shared', anySet, 'ITEMS_PER_SET'),
  CREATE_POST: creates(me),
  GET_POST: gets(any, 'POSTS_PER_USER'),
  GET_MY_POST: gets(me, 'POSTS_PER_USER', 'post'),
  LIST_POST: lists(any),
  LIST_MY_POST: lists(me, 'post'),
  UPDATE_POST: updates('post', me, 'POSTS_PER_USER'),
  CREATE_SUBMISSION: {
    prepare: (visit) => ({ owner: any(visit), sender: visit.user, content: contentOf(visit) }),
  },
  LIST_SUBMISSION_BY_ME: {
    modes: [emptyResult],
    prepare: ({ user }) => ({ sender: user }),
    complete: (visit, answer) => pick(visit, 'submission', answer),
  },
  LIST_SUBMISSION_TO_ME: lists(me),
  LIST_SUBMISSION_BY_RECEIVER: lists(any),
  UPDATE_SUBMISSION: updates('submission'),
}

/** The plan of an interaction. */
type PlanOf<Name extends keyof MicroCalls> = Plan<
  MicroState,
  MicroCalls[Name]['params'],
  MicroCalls[Name]['answer']
>

function creates(ownerOf: OwnerOf): PlanOf<'CREATE_ITEM'> {
  return { prepare: (visit) => ({ owner: ownerOf(visit), content: contentOf(visit) }) }
}

function gets(ownerOf: OwnerOf, count: CountName, kind?: Kind): PlanOf<'GET_ITEM'> {
  return {
    modes: [emptyResult],
    prepare: (visit) => ({ owner: ownerOf(visit), number: numbersOf(visit, count, 1)[0] as number }),
    complete: (visit, answer) => kind && pick(visit, kind, answer),
  }
}

function lists(ownerOf: OwnerOf, kind?: Kind): PlanOf<'LIST_ITEM'> {
  return {
    modes: [emptyResult],
    prepare: (visit) => ({ owner: ownerOf(visit) }),
    complete: (visit, answer) => kind && pick(visit, kind, answer),
  }
}

/** Updates content that the session knows; else some of an owner, if there is one to choose. */
function updates(kind: Kind, ownerOf?: OwnerOf, count?: CountName): PlanOf<'UPDATE_ITEM'> {
  return {
    modes: [emptyResult],
    prepare(visit) {
      const known = visit.state.picked[kind]
      if (known !== undefined) return { ...known, content: contentOf(visit) }
      if (ownerOf === undefined || count === undefined) return undefined
      const numbers = numbersOf(visit, count, visit.state.values.NUM_UPDATE_ITEMS)
      return { owner: ownerOf(visit), numbers, content: contentOf(visit) }
    },
    complete: ({ state }) => {
      state.picked = { ...state.picked, [kind]: undefined }
    },
  }
}

/** Keep some of what was found, all of one owner, as a transaction works on one group. */
function pick({ state, draw }: MicroVisit, kind: Kind, { found }: Found): void {
  const owner = draw.pick(found)?.owner
  const numbers = found.filter((one) => one.owner === owner).map(({ number }) => number)
  const picked =
    owner === undefined ? undefined : { owner, numbers: draw.some(numbers, state.values.NUM_UPDATE_ITEMS) }
  state.picked = { ...state.picked, [kind]: picked }
}

function numbersOf(
  { draw, state: { values } }: MicroVisit,
  count: CountName,
  wanted: number,
): readonly number[] {
  const size = Math.max(1, values[count])
  return draw.distinct(Math.min(wanted, size), values.MIN_SEQ_NO, size)
}

function contentOf({ draw, state: { values } }: MicroVisit): string {
  return draw.text(values.CONTENT_LENGTH)
}
