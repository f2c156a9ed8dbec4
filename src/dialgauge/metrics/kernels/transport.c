/* The transport problem (earth mover's distance) for many small pairs of weighted sets, by the network simplex method.
 *
 * Nodes are the senders, the receivers and a root. The plan is a spanning tree: mass moves along its arcs only, and an
 * arc outside the tree enters it when that makes the plan cheaper, pushing another one out. At first everything goes
 * through the root: from the senders at a price no real arc can have, to the receivers for nothing (so that what they
 * could take beyond what is sent comes from there). Ties for the arc that leaves are broken as Cunningham has it
 * (strongly feasible trees), so the method ends. */
#include "kernels.h"

#include <float.h>
#include <stdlib.h>

typedef struct {
    int64_t parent, child, next, previous; /* the tree: children are a doubly linked list */
    int64_t depth;
    int64_t up;        /* whether the arc to the parent goes to it (1) or comes from it (0) */
    double flow, cost; /* of that arc */
} Node;

typedef struct {
    int64_t rows, columns;
    const double *cost;    /* rows x columns */
    const double *nothing; /* a zero for each column */
    Node *node;         /* rows, then columns, then the root */
    double *potential;
    double tolerance;
    int64_t row;   /* where the search for an arc that enters goes on; beyond the senders is the root */
    int64_t block; /* how many arcs are looked at before the best of them is taken */
} Problem;

static void attach(Node *node, int64_t v, int64_t parent) {
    node[v].parent = parent;
    node[v].previous = -1;
    node[v].next = node[parent].child;
    if (node[v].next >= 0) node[node[v].next].previous = v;
    node[parent].child = v;
}

static void detach(Node *node, int64_t v) {
    if (node[v].next >= 0) node[node[v].next].previous = node[v].previous;
    if (node[v].previous >= 0)
        node[node[v].previous].next = node[v].next;
    else
        node[node[v].parent].child = node[v].next;
}

static void begin(Problem *p, const double *supply, const double *demand) {
    int64_t root = p->rows + p->columns;
    double largest = 0;
    for (int64_t cell = 0; cell < p->rows * p->columns; cell++)
        if (p->cost[cell] > largest) largest = p->cost[cell];
    double price = (largest + 1) * (double)(root + 1);
    p->tolerance = 1e-14 * price; /* above the rounding errors of sums along the tree */
    p->node[root] = (Node){.parent = -1, .child = -1, .next = -1, .previous = -1};
    p->potential[root] = 0;
    for (int64_t v = 0; v < root; v++) {
        int sends = v < p->rows;
        p->node[v] = (Node){.child = -1,
                            .depth = 1,
                            .up = sends,
                            .flow = sends ? supply[v] : demand[v - p->rows],
                            .cost = sends ? price : 0};
        p->potential[v] = sends ? -price : 0;
        attach(p->node, v, root);
    }
    p->row = 0;
    p->block = 1;
    while (p->block * p->block < (p->rows + 1) * p->columns) p->block++;
}

/* The price of arcs from a sender, or from the root, to all receivers. */
static const double *prices(const Problem *p, int64_t row) {
    return row < p->rows ? p->cost + row * p->columns : p->nothing;
}

/* The best arc of the next block that has one with a negative reduced cost; 0 where there is none at all. */
static int enter(Problem *p, int64_t *row, int64_t *column) {
    const double *to = p->potential + p->rows;
    double best = -p->tolerance;
    int found = 0;
    for (int64_t rows = 0, in_block = 0; rows <= p->rows; rows++) {
        const double *cost = prices(p, p->row);
        double from = p->row < p->rows ? p->potential[p->row] : 0;
        for (int64_t k = 0; k < p->columns; k++) {
            double reduced = cost[k] + from - to[k];
            if (reduced < best) {
                best = reduced;
                *row = p->row;
                *column = k;
                found = 1;
            }
        }
        in_block += p->columns;
        p->row = p->row == p->rows ? 0 : p->row + 1;
        if (in_block >= p->block) {
            if (found) return 1;
            in_block = 0;
        }
    }
    return found;
}

/* Push mass around the cycle that the arc closes; gives the node whose arc to its parent leaves, and on which side. */
static int64_t push(Problem *p, int64_t first, int64_t second, double *mass, int *on_first) {
    Node *node = p->node;
    int64_t a = first, b = second, leaves = -1;
    while (a != b)
        if (node[a].depth >= node[b].depth)
            a = node[a].parent;
        else
            b = node[b].parent;
    int64_t join = a;
    double least = DBL_MAX;
    *on_first = 0;
    for (int64_t v = first; v != join; v = node[v].parent)
        if (node[v].up && node[v].flow < least) {
            least = node[v].flow;
            leaves = v;
            *on_first = 1;
        }
    for (int64_t v = second; v != join; v = node[v].parent)
        if (!node[v].up && node[v].flow <= least) {
            least = node[v].flow;
            leaves = v;
            *on_first = 0;
        }
    for (int64_t v = first; v != join; v = node[v].parent) node[v].flow += node[v].up ? -least : least;
    for (int64_t v = second; v != join; v = node[v].parent) node[v].flow += node[v].up ? least : -least;
    *mass = least;
    return leaves;
}

/* Hang the part of the tree below the arc that left onto the arc that entered, and bring depths and potentials up. */
static void hang(Problem *p, int64_t inside, int64_t outside, int64_t leaves, Node arc) {
    Node *node = p->node;
    for (int64_t v = inside, parent = outside;;) {
        Node old = node[v];
        detach(node, v);
        attach(node, v, parent);
        node[v].up = arc.up;
        node[v].flow = arc.flow;
        node[v].cost = arc.cost;
        if (v == leaves) break;
        arc = old;
        arc.up = !old.up;
        parent = v;
        v = old.parent;
    }
    for (int64_t v = inside;;) {
        node[v].depth = node[node[v].parent].depth + 1;
        /* Anew from the parent, so that rounding errors do not add up. */
        p->potential[v] = p->potential[node[v].parent] + (node[v].up ? -node[v].cost : node[v].cost);
        if (node[v].child >= 0) {
            v = node[v].child;
            continue;
        }
        while (v != inside && node[v].next < 0) v = node[v].parent;
        if (v == inside) break;
        v = node[v].next;
    }
}

static double solve(Problem *p, const double *supply, const double *demand) {
    int64_t row = 0, column = 0;
    begin(p, supply, demand);
    while (enter(p, &row, &column)) {
        int64_t first = row < p->rows ? row : p->rows + p->columns, second = p->rows + column;
        double mass;
        int on_first;
        int64_t leaves = push(p, first, second, &mass, &on_first);
        Node arc = {.up = on_first, .flow = mass, .cost = prices(p, row)[column]};
        if (on_first)
            hang(p, first, second, leaves, arc);
        else
            hang(p, second, first, leaves, arc);
    }
    double total = 0;
    int64_t root = p->rows + p->columns;
    for (int64_t v = 0; v < root; v++)
        if (p->node[v].parent != root) total += p->node[v].flow * p->node[v].cost;
    return total;
}

/* Problem q moves supply[rows so far ...] to demand[columns so far ...] at cost[cells so far ...] (rows x columns).
 * All masses are positive, no cost is negative, and no more is sent than can be taken. result[q] is the cost of the
 * cheapest plan. */
DG_EXPORT int64_t dg_transport(const int64_t *rows, const int64_t *columns, int64_t problems, const double *supply,
                               const double *demand, const double *cost, double *result) {
    int64_t most = 0;
    for (int64_t q = 0; q < problems; q++)
        if (rows[q] + columns[q] > most) most = rows[q] + columns[q];
    Node *node = malloc((size_t)(most + 1) * sizeof(Node));
    double *potential = malloc((size_t)(most + 1) * sizeof(double));
    double *nothing = calloc((size_t)(most + 1), sizeof(double));
    if (!node || !potential || !nothing) {
        free(node);
        free(potential);
        free(nothing);
        return DG_NO_MEMORY;
    }
    for (int64_t q = 0; q < problems; q++) {
        Problem p = {.rows = rows[q],
                     .columns = columns[q],
                     .cost = cost,
                     .nothing = nothing,
                     .node = node,
                     .potential = potential};
        result[q] = rows[q] && columns[q] ? solve(&p, supply, demand) : 0;
        supply += rows[q];
        demand += columns[q];
        cost += rows[q] * columns[q];
    }
    free(node);
    free(potential);
    free(nothing);
    return DG_OK;
}
