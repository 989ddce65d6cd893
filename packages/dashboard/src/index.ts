export { type Dashboard, dashboard } from './dashboard.ts'
export type { AnswerableTuner, DashboardOptions, Look, ShownManager } from './options.ts'
export type {
  FigureChange,
  ReportEntry,
  Reports,
  ResultFigure,
  ResultHistory,
  RunningEntry,
} from './reports.ts'
