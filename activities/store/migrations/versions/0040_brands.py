"""How the guides of a project look.

Revision: 0040, after 0039.
"""

import sqlalchemy as sa
from alembic import op

from activities.store.tables import Json, Moment, Name

revision = "0040"
down_revision = "0039"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "project_logos",
        sa.Column("id", Name, nullable=False),
        sa.Column("project_id", Name, nullable=False),
        sa.Column("png", sa.Text(), nullable=False),
        sa.Column("width", sa.Integer(), nullable=False),
        sa.Column("height", sa.Integer(), nullable=False),
        sa.Column("ground", Name, nullable=False),
        sa.CheckConstraint("ground IN ('any', 'light', 'dark')", name=op.f("ck_project_logos_ground")),
        sa.ForeignKeyConstraint(["project_id"], ["projects.id"], name=op.f("fk_project_logos_project_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_project_logos")),
    )
    op.create_index(op.f("ix_project_logos_project_id"), "project_logos", ["project_id"], unique=False)
    op.create_table(
        "project_brands",
        sa.Column("id", Name, nullable=False),
        sa.Column("project_id", Name, nullable=False),
        sa.Column("brand", Json, nullable=False),
        sa.Column("logo_id", Name, nullable=True),
        sa.Column("saved_by", sa.Text(), nullable=False),
        sa.Column("saved_at", Moment(), nullable=False),
        sa.ForeignKeyConstraint(["logo_id"], ["project_logos.id"], name=op.f("fk_project_brands_logo_id")),
        sa.ForeignKeyConstraint(["project_id"], ["projects.id"], name=op.f("fk_project_brands_project_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_project_brands")),
    )
    op.create_index(op.f("ix_project_brands_project_id_id"), "project_brands", ["project_id", "id"], unique=False)


def downgrade() -> None:
    op.drop_table("project_brands")
    op.drop_table("project_logos")
