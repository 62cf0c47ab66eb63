/** The columns: nobody is signed in, a person without a role, and each single role. */
export const COLUMNS = ['nobody', 'none', 'viewer', 'finance', 'approver', 'operator', 'admin'] as const;

/**
 * Who may use which route, written a second time for people to read. `own` means only in an own portfolio, and `in`
 * means that sign-in comes first. All addresses under `/assets/` are one line, and so are those of the board that need
 * one role.
 */
export const EXPECTED = `
                                               nobody none viewer finance approver operator admin
GET  /assets/                                  yes    yes  yes    yes     yes      yes      yes
GET  /health/live                              yes    yes  yes    yes     yes      yes      yes
GET  /health/ready                             yes    yes  yes    yes     yes      yes      yes
GET  /metrics                                  yes    yes  yes    yes     yes      yes      yes
GET  /sign-in                                  yes    yes  yes    yes     yes      yes      yes
POST /sign-in                                  yes    yes  yes    yes     yes      yes      yes
GET  /sign-in/code                             yes    yes  yes    yes     yes      yes      yes
POST /sign-in/code                             yes    yes  yes    yes     yes      yes      yes
GET  /sign-in/factor                           yes    yes  yes    yes     yes      yes      yes
POST /sign-in/factor                           yes    yes  yes    yes     yes      yes      yes
GET  /sign-in/password                         yes    yes  yes    yes     yes      yes      yes
POST /sign-in/password                         yes    yes  yes    yes     yes      yes      yes
GET  /sign-in/oidc                             yes    yes  yes    yes     yes      yes      yes
GET  /sign-in/oidc/callback                    yes    yes  yes    yes     yes      yes      yes
GET  /sign-in/oidc/out                         yes    yes  yes    yes     yes      yes      yes
POST /sign-out                                 yes    yes  yes    yes     yes      yes      yes

GET  /events                                   in     yes  yes    yes     yes      yes      yes
GET  /keys                                     in     yes  yes    yes     yes      yes      yes
GET  /me                                       in     yes  yes    yes     yes      yes      yes
POST /me/password                              in     yes  yes    yes     yes      yes      yes
POST /me/factor                                in     yes  yes    yes     yes      yes      yes
POST /me/factor/confirm                        in     yes  yes    yes     yes      yes      yes
POST /me/codes                                 in     yes  yes    yes     yes      yes      yes
POST /me/sessions/end                          in     yes  yes    yes     yes      yes      yes
POST /me/sessions/:id/end                      in     yes  yes    yes     yes      yes      yes

GET  /                                         in     no   yes    yes     yes      yes      no
GET  /newest/events                            in     no   yes    yes     yes      yes      no
GET  /archived                                 in     no   yes    yes     yes      yes      no
GET  /declined                                 in     no   yes    yes     yes      yes      no
GET  /lowered                                  in     no   yes    yes     yes      yes      no
GET  /search                                   in     no   yes    yes     yes      yes      no
GET  /buyers/:key                              in     no   yes    yes     yes      yes      no
GET  /statuses                                 in     no   yes    yes     yes      yes      yes
POST /statuses                                 in     no   no     yes     no       yes      yes
GET  /portfolios/:name                         in     no   yes    yes     yes      yes      no
GET  /portfolios/:name/events                  in     no   yes    yes     yes      yes      no
GET  /portfolios/:name/rows/:key               in     no   yes    yes     yes      yes      no
GET  /portfolios/:name/downloads/:file         in     no   no     yes     yes      yes      no
GET  /portfolios/:name/decisions               in     no   no     yes    no       yes      no
POST /portfolios/:name/decisions               in     no   no     yes    no       yes      no
GET  /portfolios/:name/decisions/columns       in     no   no     yes    no       yes      no
POST /portfolios/:name/decisions/columns       in     no   no     yes    no       yes      no
GET  /portfolios/:name/decisions/take          in     no   no     yes    no       yes      no
POST /portfolios/:name/decisions/take          in     no   no     yes    no       yes      no
GET  /portfolios/:name/decisions/taken/:upload in     no   no     yes    no       yes      no
POST /portfolios/:name/pause                   in     no   no     no      no       yes      no
POST /portfolios/:name/resume                  in     no   no     own     no       yes      no
POST /portfolios/:name/rows/:key/retry         in     no   no     own     no       yes      no
POST /portfolios/:name/rows/:key/session       in     no   no     own     no       yes      no

GET  /plans/new?action=retry                   in     no   no     own     no       yes      no
GET  /plans/new?action=cancel                  in     no   no     own     no       yes      no
GET  /plans/new?action=resend                  in     no   no     no      no       yes      no
GET  /plans/:id                                in     no   no     yes     yes      yes      no
GET  /plans/:id/events                         in     no   no     yes     yes      yes      no
POST /plans/:id/confirm                        in     no   no     own     no       yes      no

GET  /new                                      in     no   no     yes     no       no       no
GET  /new/:id                                  in     no   no     yes     no       no       no
GET  /new/:id/events                           in     no   no     yes     no       no       no
GET  /new/:id/file                             in     no   no     yes     no       no       no
GET  /new/:id/import                           in     no   no     yes     no       no       no
GET  /new/:id/import/events                    in     no   no     yes     no       no       no
GET  /new/:id/remove                           in     no   no     yes     no       no       no
POST /new/upload                               in     no   no     yes     no       no       no
POST /new/:id/reading                          in     no   no     yes     no       no       no
POST /new/:id/again                            in     no   no     yes     no       no       no
POST /new/:id/portfolio                        in     no   no     yes     no       no       no
POST /new/:id/remove                           in     no   no     yes     no       no       no
POST /new/:id/check                            in     no   no     yes     no       no       no
POST /new/:id/mend                             in     no   no     yes     no       no       no
POST /new/:id/back                             in     no   no     yes     no       no       no
POST /new/:id/documents                        in     no   no     yes     no       no       no
POST /new/:id/confirm                          in     no   no     yes     no       no       no
POST /new/:id/submit                           in     no   no     yes     no       no       no

GET  /approvals                                in     no   yes    yes     yes      yes      no
GET  /approvals/:id                            in     no   yes    yes     yes      yes      no
GET  /approvals/:id/approve                    in     no   yes    yes     yes      yes      no
GET  /approvals/:id/decline                    in     no   yes    yes     yes      yes      no
POST /approvals/:id/approve                    in     no   no     no      yes      no       no
POST /approvals/:id/decline                    in     no   no     no      yes      no       no

GET  /held                                     in     no   no     no      no       yes      no
GET  /held/text                                in     no   no     no      no       yes      no
GET  /held/events                              in     no   no     no      no       yes      no
GET  /held/plan                                in     no   no     no      no       yes      no
POST /held/plan                                in     no   no     no      no       yes      no
POST /held/confirm                             in     no   no     no      no       yes      no
GET  /portfolios/:name/held                    in     no   no     no      no       yes      no
GET  /portfolios/:name/held/text               in     no   no     no      no       yes      no
GET  /portfolios/:name/held/events             in     no   no     no      no       yes      no
POST /portfolios/:name/held/file               in     no   no     no      no       yes      no
POST /portfolios/:name/held/confirm            in     no   no     no      no       yes      no

POST /nightly/run/:task                        in     no   no     no      no       yes      no
POST /nightly/rules                            in     no   no     no      no       yes      no
POST /nightly/rules/:id/remove                 in     no   no     no      no       yes      no
GET  /nightly                                  in     no   yes    yes     yes      yes      no
GET  /nightly/automation                       in     no   yes    yes     yes      yes      no
GET  /nightly/notices                          in     no   yes    yes     yes      yes      no
GET  /nightly/reports/:id                      in     no   yes    yes     yes      yes      no
GET  /nightly/reports/:id/:file                in     no   no     yes     yes      yes      no

GET  /service-events/:id                       in     no   no     yes     yes      yes      no

GET  /work                                     in     no   no     no      no       yes      no
GET  /work/events                              in     no   no     no      no       yes      no
POST /work/retry                               in     no   no     no      no       yes      no
GET  /work/:queue/pause                        in     no   no     no      no       yes      no
POST /work/:queue/pause                        in     no   no     no      no       yes      no
POST /work/:queue/resume                       in     no   no     no      no       yes      no
GET  /queues                                   in     no   no     no      no       yes      no
GET  /queues/                                  in     no   no     no      no       yes      no
POST /queues/                                  in     no   no     no      no       yes      no
PUT  /queues/                                  in     no   no     no      no       yes      no
PATCH /queues/                                 in     no   no     no      no       yes      no

GET  /health                                   in     no   yes    yes     yes      yes      yes
POST /health/workers/:process/quiet            in     no   no     no      no       yes      no
POST /health/workers/:process/resume           in     no   no     no      no       yes      no
GET  /users                                    in     no   no     no      no       no       yes
POST /users                                    in     no   no     no      no       no       yes
GET  /users/:user                              in     no   no     no      no       no       yes
GET  /users/:user/remove                       in     no   no     no      no       no       yes
POST /users/:user/roles                        in     no   no     no      no       no       yes
POST /users/:user/password                     in     no   no     no      no       no       yes
POST /users/:user/factor                       in     no   no     no      no       no       yes
POST /users/:user/sessions                     in     no   no     no      no       no       yes
POST /users/:user/remove                       in     no   no     no      no       no       yes
GET  /audit                                    in     no   no     no      no       no       yes
GET  /audit/export                             in     no   no     no      no       no       yes
`;

/** The expected access to a route, by column. */
export type Expected = { route: string; by: Record<(typeof COLUMNS)[number], 'yes' | 'own' | 'no' | 'in'> };

/** Reads the table above. */
export function readExpected(): Expected[] {
  const [, ...lines] = EXPECTED.split('\n').filter((line) => line.trim() !== '');
  return lines.map((line) => {
    const [method, path, ...cells] = line.trim().split(/\s+/);
    const by = Object.fromEntries(COLUMNS.map((column, place) => [column, cells[place]])) as Expected['by'];
    return { route: `${method} ${path}`, by };
  });
}
